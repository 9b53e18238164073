//! Words that people use when a conversation goes well, badly, or to somebody else.

use std::collections::BTreeSet;

/// Shortest word that says something by itself, in letters.
const SHORTEST_WORD: usize = 4;

const CORRECTIONS: [&str; 12] = [
    "that's wrong",
    "that is wrong",
    "that's not",
    "that is not",
    "not what i",
    "incorrect",
    "you misunderstood",
    "i said",
    "i meant",
    "still not",
    "still doesn't",
    "no, ",
];
const CONTENT: [&str; 8] =
    ["thank", "thx", "perfect", "that works", "works now", "solved", "great, ", "exactly what i"];
const GIVING_UP: [&str; 8] = [
    "i can't help",
    "i cannot help",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "i am not able",
    "something went wrong",
    "i couldn't find",
];
const ESCALATIONS: [&str; 7] = [
    "human agent",
    "real person",
    "speak to a person",
    "talk to a person",
    "transfer you to",
    "connect you with",
    "escalated to",
];
const FAILED: [&str; 6] = ["error", "failed", "failure", "timeout", "timed_out", "timed out"];

pub(super) fn is_correction(text: &str) -> bool {
    has(text, &CORRECTIONS)
}

/// Whether the user is content. Thanks inside a complaint do not count.
pub(super) fn is_content(text: &str) -> bool {
    has(text, &CONTENT) && !has(text, &CORRECTIONS)
}

pub(super) fn gives_up(text: &str) -> bool {
    has(text, &GIVING_UP)
}

pub(super) fn escalates(text: &str) -> bool {
    has(text, &ESCALATIONS)
}

pub(super) fn is_failed_status(status: &str) -> bool {
    let status = status.trim().to_lowercase();
    FAILED.contains(&status.as_str())
}

/// The distinct longer words of a text, in lower case.
pub(super) fn words_of(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.chars().count() >= SHORTEST_WORD)
        .map(str::to_lowercase)
        .collect()
}

fn has(text: &str, signs: &[&str]) -> bool {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    signs.iter().any(|sign| text.contains(sign))
}
