//! What lies over a file is what a file would hold that may be written to, and the file stays as it is.

#![allow(clippy::unwrap_used)]

use super::*;
use std::io::Write;

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % end
    }
}

#[test]
fn it_reads_as_if_it_had_been_written() {
    for seed in 0..40 {
        let mut numbers = Numbers(seed);
        let mut plain: Vec<u8> = (0..numbers.below(9) * 3000).map(|i| i as u8).collect();
        let mut named = tempfile::NamedTempFile::new().unwrap();
        named.write_all(&plain).unwrap();
        let before = plain.clone();
        let file = ReadOnlyFile::new(named.reopen().unwrap()).unwrap();
        for step in 0..60 {
            let (at, len) = (numbers.below(30_000), numbers.below(9000) as usize);
            match numbers.below(4) {
                0 => {
                    plain.resize(at as usize, 0);
                    file.set_len(at).unwrap();
                }
                1 => {
                    let data = vec![step as u8 + 1; len];
                    let end = at as usize + len;
                    if len > 0 && plain.len() < end {
                        plain.resize(end, 0);
                    }
                    if len > 0 {
                        plain[at as usize..end].copy_from_slice(&data);
                    }
                    file.write(at, &data).unwrap();
                }
                _ => {
                    let mut out = vec![9; len];
                    let known = plain.get(at as usize..at as usize + len);
                    assert_eq!(file.read(at, &mut out).is_ok(), known.is_some());
                    if let Some(known) = known {
                        assert!(out == known, "{len} bytes at {at}, step {step} of {seed}");
                    }
                }
            }
            assert_eq!(file.len().unwrap(), plain.len() as u64);
        }
        assert!(std::fs::read(named.path()).unwrap() == before);
    }
}
