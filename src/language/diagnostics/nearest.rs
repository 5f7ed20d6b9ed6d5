//! Guesses at what a misspelt word was meant to be.

/// The candidate that is closest to `word`, if it is close enough to be a slip of the hand.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = if word.chars().count() <= 5 { 1 } else { 2 };
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Whether `word` is almost certainly `candidate` misspelt: the same letters in another order, or
/// one slip in a long word. For places where a word of its own would be just as legal.
pub(crate) fn is_slip_for(word: &str, candidate: &str) -> bool {
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    letters(word) == letters(candidate) || (candidate.len() >= 5 && distance(word, candidate) <= 1)
}

/// Insertions, deletions, replacements and swaps of neighbours, whatever the case of the first word.
/// Longer words than the lists could ever hold are far from everything, which bounds the work.
fn distance(word: &str, candidate: &str) -> usize {
    const LONGEST: usize = 24;
    let is_long = |text: &str| text.chars().nth(LONGEST).is_some();
    match is_long(word) || is_long(candidate) {
        true => usize::MAX,
        false => strsim::osa_distance(&word.to_ascii_lowercase(), candidate),
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_of_the_hand_are_guessed() {
        let words = ["first", "last", "nth", "depth"];
        for (typed, meant) in [
            ("frist", Some("first")),
            ("fist", Some("first")),
            ("Last", Some("last")),
            ("deptth", Some("depth")),
            ("nht", Some("nth")),
            ("summary", None),
            ("note", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, words), meant, "{typed}");
        }
    }
}
