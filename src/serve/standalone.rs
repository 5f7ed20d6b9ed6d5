//! The page as one file that needs no server: its styles, its modules joined into one script, and the data of
//! one store.
//!
//! Browsers load no modules from the file system, so each module becomes a function that returns what it
//! exports. The policy inside of the file allows this one script and this one style by their hashes. Data is
//! text that no browser runs, and cannot end its element.

use super::assets::{ASSETS, Asset, INDEX};
use sha2::{Digest, Sha256};

/// The page with data inside. `data` is the JSON that `web/embedded.js` reads.
pub fn standalone(data: &str) -> String {
    let files =
        |ending: &'static str| ASSETS.iter().filter(move |asset| asset.name.ends_with(ending));
    let style: String = files(".css").map(|asset| asset.text()).collect();
    let script: String = files(".js").map(|asset| module(&asset.text())).collect();
    let script = format!("\"use strict\";\n{script}");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        base64(&Sha256::digest(&script)),
        base64(&Sha256::digest(&style)),
    );
    let page = Asset::named(INDEX).map(Asset::text).unwrap_or_default();
    let mut out = String::with_capacity(page.len() + style.len() + script.len() + data.len());
    for line in page.lines().filter(|line| !line.contains("\"/web/")) {
        match line {
            "</head>" => {
                out += &format!(
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<style>{style}</style>\n"
                );
            }
            "</body>" => {
                let data = data.replace('<', "\\u003c");
                out += &format!("<script type=\"application/json\" id=\"data\">{data}</script>\n");
                out += &format!("<script>{script}</script>\n");
            }
            _ => {}
        }
        out += line;
        out.push('\n');
    }
    out
}

/// A module as a statement: what it imports is there, what it exports is left behind it.
fn module(text: &str) -> String {
    let (mut body, mut names) = (String::new(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with("import ")) {
        let line = match line.strip_prefix("export ") {
            None => line,
            Some(rest) => {
                let words = rest.split(|c: char| !c.is_alphanumeric() && c != '_');
                let name = words.filter(|word| !word.is_empty());
                let kinds = ["async", "function", "class", "const", "let"];
                names.extend(name.into_iter().find(|word| !kinds.contains(word)));
                rest
            }
        };
        body += line;
        body.push('\n');
    }
    let names = names.join(", ");
    format!("const {{ {names} }} = (() => {{\n{body}return {{ {names} }};\n}})();\n")
}

/// Bytes as policies write a hash.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for place in 0..4 {
            let index = (bits >> (18 - 6 * place)) & 63;
            text.push(if place <= group.len() { char::from(LETTERS[index as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_as_policies_want_them() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn modules_become_functions() {
        let joined = module(
            "import { a } from \"./a.js\";\nexport async function one() {}\nexport const TWO = 2;\nfunction own() {}\n",
        );
        assert_eq!(
            joined,
            "const { one, TWO } = (() => {\nasync function one() {}\nconst TWO = 2;\nfunction own() {}\nreturn { one, TWO };\n})();\n"
        );
    }

    #[test]
    fn data_cannot_end_its_element() {
        let page = standalone("{\"x\":\"</script><script>alert(1)</script>\"}");
        assert!(!page.contains("alert(1)</script>"));
        assert!(page.contains("\\u003c/script>\\u003cscript>alert(1)"));
        assert!(!page.contains("/web/"), "nothing is loaded");
    }
}
