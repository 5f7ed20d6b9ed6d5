//! A JSON value and an object, which hold each other, without their texts.
//!
//! An object keeps its entries in one list, sorted by key. A document may hold millions of objects
//! with an entry or two. A tree of nodes would take hundreds of bytes for each of them; this takes
//! what the entries take.

use serde::de::Unexpected;

/// A normalised JSON value.
#[derive(Debug, Clone)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// An integer beyond 64 bits: an optional minus sign and digits without leading zeros.
    BigInt(Box<str>),
    /// A finite double.
    Float(f64),
    /// A string.
    Str(String),
    /// An array.
    List(Vec<Json>),
    /// An object; its keys are in code point order.
    Map(Map),
}

impl Json {
    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is an integer of at most 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Json::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    /// How deep lists and objects nest: 0 for a scalar.
    pub fn nesting(&self) -> usize {
        match self {
            Json::List(items) => 1 + items.iter().map(Json::nesting).max().unwrap_or(0),
            Json::Map(map) => 1 + map.values().map(Json::nesting).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The value as serde's errors name it.
    pub(super) fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Json::Null => Unexpected::Unit,
            Json::Bool(value) => Unexpected::Bool(*value),
            Json::Int(number) => Unexpected::Signed(*number),
            Json::BigInt(_) => Unexpected::Unsigned(u64::MAX),
            Json::Float(number) => Unexpected::Float(*number),
            Json::Str(text) => Unexpected::Str(text),
            Json::List(_) => Unexpected::Seq,
            Json::Map(_) => Unexpected::Map,
        }
    }

    /// What the value is called in an error message.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Int(_) | Json::BigInt(_) => "an integer",
            Json::Float(_) => "a decimal number",
            Json::Str(_) => "a string",
            Json::List(_) => "a list",
            Json::Map(_) => "an object",
        }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        match (self, other) {
            (Json::Null, Json::Null) => true,
            (Json::Bool(a), Json::Bool(b)) => a == b,
            (Json::Int(a), Json::Int(b)) => a == b,
            (Json::BigInt(a), Json::BigInt(b)) => a == b,
            // By bits, because 0.0 and -0.0 have different canonical texts.
            (Json::Float(a), Json::Float(b)) => a.to_bits() == b.to_bits(),
            (Json::Str(a), Json::Str(b)) => a == b,
            (Json::List(a), Json::List(b)) => a == b,
            (Json::Map(a), Json::Map(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Json {}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Str(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Str(text)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Json {
        Json::Int(number)
    }
}

/// Every digit is kept.
impl From<i128> for Json {
    #[inline]
    fn from(number: i128) -> Json {
        match i64::try_from(number) {
            Ok(number) => Json::Int(number),
            Err(_) => Json::BigInt(number.to_string().into()),
        }
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

/// The entries of an object, in code point order of their keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map(Vec<(String, Json)>);

impl Map {
    /// No entries.
    pub const fn new() -> Map {
        Map(Vec::new())
    }

    /// Entries as they came; of a key that is there twice, the last one counts.
    pub(super) fn collected(mut entries: Vec<(String, Json)>) -> Map {
        let in_order = entries.is_sorted_by(|(a, _), (b, _)| a < b);
        if !in_order {
            // The sort keeps the order of equal keys, so the last one comes to stand first.
            entries.reverse();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            entries.dedup_by(|(key, _), (newest, _)| key == newest);
        }
        entries.shrink_to_fit();
        Map(entries)
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(key))
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.find(key).ok().map(|at| &mut self.0[at].1)
    }

    /// Whether there is such a key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_ok()
    }

    /// Sets the value of a key, and returns what it was.
    pub fn insert(&mut self, key: String, value: Json) -> Option<Json> {
        match self.find(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes an entry out, and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        self.find(key).ok().map(|at| self.0.remove(at).1)
    }

    /// Keeps the entries that a test holds for.
    pub fn retain(&mut self, mut keep: impl FnMut(&String, &mut Json) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries.
    pub fn iter(&self) -> Iter<'_> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &String> + ExactSizeIterator {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Json> + ExactSizeIterator {
        self.0.iter().map(|(_, value)| value)
    }

    /// The entries, with values to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&String, &mut Json)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }
}

/// The value of a key, which must be there; [`Map::get`] asks first.
impl std::ops::Index<&str> for Map {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        match self.get(key) {
            Some(value) => value,
            None => panic!("an object has no entry {key:?}"),
        }
    }
}

/// Goes through the entries of an object.
pub type Iter<'a> =
    std::iter::Map<std::slice::Iter<'a, (String, Json)>, fn(&(String, Json)) -> (&String, &Json)>;

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a String, &'a Json);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl IntoIterator for Map {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<(String, Json)> for Map {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(entries: I) -> Map {
        Map::collected(entries.into_iter().collect())
    }
}

impl<const N: usize> From<[(String, Json); N]> for Map {
    fn from(entries: [(String, Json); N]) -> Map {
        Map::collected(entries.into())
    }
}

impl Extend<(String, Json)> for Map {
    fn extend<I: IntoIterator<Item = (String, Json)>>(&mut self, entries: I) {
        let mut all = std::mem::take(&mut self.0);
        all.extend(entries);
        *self = Map::collected(all);
    }
}
