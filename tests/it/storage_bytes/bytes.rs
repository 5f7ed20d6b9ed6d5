//! A cursor over the bytes of a row: the three ways in which rows spell numbers and texts.

/// What is left of a row, and whose it is.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    what: String,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], what: impl Into<String>) -> Cursor<'a> {
        Cursor { rest: bytes, what: what.into() }
    }

    /// Every byte must have had an explanation.
    pub(super) fn end(self) {
        assert!(self.rest.is_empty(), "{}: no explanation for {:02x?}", self.what, self.rest);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything that is left.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        self.take(self.rest.len())
    }

    pub(super) fn take(&mut self, count: usize) -> &'a [u8] {
        let split = self.rest.split_at_checked(count);
        let (taken, rest) = split.unwrap_or_else(|| panic!("{} is too short", self.what));
        self.rest = rest;
        taken
    }

    pub(super) fn array<const N: usize>(&mut self) -> [u8; N] {
        self.take(N).try_into().unwrap()
    }

    // Plain bytes ---------------------------------------------------------------------------------

    pub(super) fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    pub(super) fn flag(&mut self) -> bool {
        match self.byte() {
            0 => false,
            1 => true,
            other => panic!("{}: {other} is no flag", self.what),
        }
    }

    pub(super) fn u64_le(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    // Marked numbers ------------------------------------------------------------------------------

    pub(super) fn marked(&mut self) -> u64 {
        let (number, least) = match self.byte() {
            251 => (u64::from(u16::from_le_bytes(self.array())), 251),
            252 => (u64::from(u32::from_le_bytes(self.array())), 1 << 16),
            253 => (self.u64_le(), 1 << 32),
            small if small < 251 => return u64::from(small),
            other => panic!("{}: a number cannot begin with {other}", self.what),
        };
        assert!(number >= least, "{}: {number} has a shorter form", self.what);
        number
    }

    pub(super) fn marked_signed(&mut self) -> i64 {
        unfold(self.marked())
    }

    pub(super) fn text(&mut self) -> String {
        let length = self.marked() as usize;
        String::from_utf8(self.take(length).to_vec()).unwrap()
    }

    pub(super) fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| read(self))
    }

    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.marked()).map(|_| read(self)).collect()
    }

    // Numbers of seven bits in a byte -------------------------------------------------------------

    pub(super) fn septets(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                assert!(byte > 0 || shift == 0, "{}: {number} has a shorter form", self.what);
                return number;
            }
            shift += 7;
        }
    }

    pub(super) fn septets_signed(&mut self) -> i64 {
        unfold(self.septets())
    }

    /// As many bytes as the number before them says.
    pub(super) fn stretch(&mut self) -> &'a [u8] {
        let length = self.septets() as usize;
        self.take(length)
    }

    pub(super) fn short_text(&mut self) -> String {
        String::from_utf8(self.stretch().to_vec()).unwrap()
    }

    pub(super) fn short_list(&mut self) -> Vec<String> {
        (0..self.septets()).map(|_| self.short_text()).collect()
    }
}

/// 0, 1, 2, 3, 4 … are 0, -1, 1, -2, 2 …
fn unfold(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The bytes of a row before its check, which must be right.
pub(super) fn checked<'a>(table: &str, key: &[u8], row: &'a [u8]) -> &'a [u8] {
    let (bytes, check) = row.split_last_chunk::<8>().unwrap();
    let of_table = xxhash_rust::xxh3::xxh3_64_with_seed(table.as_bytes(), 0);
    let of_key = xxhash_rust::xxh3::xxh3_64_with_seed(key, of_table);
    let of_row = xxhash_rust::xxh3::xxh3_64_with_seed(bytes, of_key);
    assert_eq!(u64::from_le_bytes(*check), of_row, "a row of {table}: {row:02x?}");
    bytes
}
