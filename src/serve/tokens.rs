//! Who may do what: secrets that requests bring.
//!
//! Only hashes of the secrets are kept. They are compared in constant time, and all of them, so that
//! the time of an answer tells nothing.

use crate::attach::Access;
use crate::error::{Error, Result};
use std::collections::BTreeSet;

/// The shortest secret, in characters.
const SHORTEST: usize = 16;

/// The tokens of a server.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    all: Vec<Token>,
    generated: bool,
}

#[derive(Debug, Clone)]
struct Token {
    hash: blake3::Hash,
    grant: Grant,
}

/// A secret that nobody can guess.
pub(super) fn random() -> Result<String> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::request(format!("there is no randomness: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The stores that a token is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    All,
    /// These.
    Named(BTreeSet<String>),
}

/// What whoever brings a token may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) access: Access,
    scope: Scope,
}

impl Grant {
    /// The same stores, and nothing but reading.
    pub(super) fn reading(&self) -> Grant {
        Grant { access: Access::Read, scope: self.scope.clone() }
    }

    /// Whether a store is one that it is for.
    pub(super) fn has(&self, store: &str) -> bool {
        match &self.scope {
            Scope::All => true,
            Scope::Named(names) => names.contains(store),
        }
    }
}

impl Tokens {
    /// No token yet: nobody may do anything.
    pub fn new() -> Tokens {
        Tokens::default()
    }

    /// One that was made for this server, for everything, and its secret.
    pub fn generate() -> Result<(Tokens, String)> {
        let secret = random()?;
        let mut tokens = Tokens::new();
        tokens.add(&secret, Access::Write, Scope::All)?;
        tokens.generated = true;
        Ok((tokens, secret))
    }

    /// Adds one.
    pub fn add(&mut self, secret: &str, access: Access, scope: Scope) -> Result<()> {
        if secret.len() < SHORTEST {
            return Err(Error::request(format!("a token has at least {SHORTEST} characters")));
        }
        if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::request("a token has letters, digits and signs of ASCII alone"));
        }
        let hash = blake3::hash(secret.as_bytes());
        if self.all.iter().any(|token| token.hash == hash) {
            return Err(Error::request("the same token is there twice"));
        }
        self.all.push(Token { hash, grant: Grant { access, scope } });
        Ok(())
    }

    /// The tokens of a file: a line for each, `SECRET read|write [*|NAME,NAME…]`. Empty lines and lines
    /// that begin with `#` are passed over.
    ///
    /// ```
    /// use pactdb::serve::Tokens;
    ///
    /// let file = "# the dashboard\n3f1e2d4c5b6a79881726 read\n9a8b7c6d5e4f30211203 write alice,bob\n";
    /// assert!(Tokens::from_text(file).is_ok());
    /// assert!(Tokens::from_text("short write").is_err());
    /// ```
    pub fn from_text(text: &str) -> Result<Tokens> {
        let mut tokens = Tokens::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // The line is not quoted: it has a secret.
            tokens.add_line(line).map_err(|error| {
                Error::request(format!("line {} of the tokens: {}", number + 1, error.message))
            })?;
        }
        match tokens.all.is_empty() {
            true => Err(Error::request("there is no token")),
            false => Ok(tokens),
        }
    }

    fn add_line(&mut self, line: &str) -> Result<()> {
        let form = || Error::request("it must be TOKEN read|write [*|NAME,NAME…]");
        let mut words = line.split_whitespace();
        let secret = words.next().ok_or_else(form)?;
        let access = match words.next() {
            Some("read") => Access::Read,
            Some("write") => Access::Write,
            _ => return Err(form()),
        };
        let scope = match words.next() {
            None | Some("*") => Scope::All,
            Some(names) => Scope::Named(names.split(',').map(str::to_owned).collect()),
        };
        if words.next().is_some() {
            return Err(form());
        }
        self.add(secret, access, scope)
    }

    /// Whether nobody but the server chose them.
    pub(super) fn are_generated(&self) -> bool {
        self.generated
    }

    /// Whether there are none.
    pub(super) fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    /// What a secret allows.
    pub(super) fn grant(&self, secret: &str) -> Option<&Grant> {
        let hash = blake3::hash(secret.as_bytes());
        let mut found = None;
        for token in &self.all {
            // The comparison of hashes takes the same time wherever they differ.
            if token.hash == hash {
                found = Some(&token.grant);
            }
        }
        found
    }
}
