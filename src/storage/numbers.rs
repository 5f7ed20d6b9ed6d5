//! Numbers of variable length, for rows of many small numbers and short texts that are read often.
//!
//! A number takes seven bits of each byte, the lowest first (LEB128). Reading never panics: bytes
//! that end too early are no number.

/// Appends a number, seven bits in a byte, the lowest first.
pub(crate) fn put_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a number with a sign, which becomes the lowest bit.
pub(crate) fn put_signed(number: i64, bytes: &mut Vec<u8>) {
    put_number((number << 1 ^ number >> 63) as u64, bytes);
}

/// Reads what [`put_number`] wrote, from the front of bytes: for rows of many small numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers<'a>(pub(crate) &'a [u8]);

impl<'a> Numbers<'a> {
    /// The next number; none if there is none, or no end to it.
    pub(crate) fn next(&mut self) -> Option<u64> {
        let (byte, rest) = self.0.split_first()?;
        // Most are this short.
        if byte & 0x80 == 0 {
            self.0 = rest;
            return Some(u64::from(*byte));
        }
        self.long()
    }

    fn long(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    /// The next four numbers.
    pub(crate) fn four(&mut self) -> Option<[u64; 4]> {
        if let Some((four, rest)) = self.0.split_first_chunk::<4>()
            && four.is_ascii()
        {
            self.0 = rest;
            return Some(four.map(u64::from));
        }
        Some([self.next()?, self.next()?, self.next()?, self.next()?])
    }

    /// The next number with a sign, which is its lowest bit.
    pub(crate) fn signed(&mut self) -> Option<i64> {
        let number = self.next()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A text with its length before it.
    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// A stretch of bytes with its length before it.
    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.next()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
}
