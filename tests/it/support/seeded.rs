//! Numbers that look random and are the same in every run, and how many of them a test draws.

/// A source of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed; others if `PACTDB_TEST_SEED` is set.
    pub(crate) fn new(seed: u64) -> Random {
        let other = std::env::var("PACTDB_TEST_SEED").ok().and_then(|text| text.parse().ok());
        Random(seed ^ other.unwrap_or(0))
    }

    /// A number less than `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % end
    }
}

/// A count, multiplied by `PACTDB_TEST_SCALE` for a longer look.
pub(crate) fn scaled(count: usize) -> usize {
    let scale = std::env::var("PACTDB_TEST_SCALE").ok().and_then(|text| text.parse::<f64>().ok());
    (count as f64 * scale.unwrap_or(1.0)) as usize
}
