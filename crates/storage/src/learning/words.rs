//! The words of learnings as the full-text engines keep them, and as searches look for them.
//!
//! Every word is preceded by the mark of whoever may find it: the organization for its agent playbooks, the user within the
//! organization for the rest. Words of others are other words then, so neither a common word nor a short prefix makes a
//! search walk through what belongs to somebody else. A mark consists of consonants, which leave an English stem as it is.
//!
//! Each word is kept twice: to be stemmed by the engine, and as it was written, between digits that keep the stemmer off.
//! The last word of a query is looked for at the beginning of either, since half a word has no stem.

use std::collections::HashSet;

use ::learning::{Match, MatchMode};
use kernel::{OrgId, UserId};
use sha2::{Digest as _, Sha256};

/// How much is indexed, in bytes; vectors may not hold more than a mebibyte, and the places of words count too.
const LONGEST_STEMMED: usize = 400_000;
const LONGEST_AS_WRITTEN: usize = 100_000;

/// Sixteen consonants, one for each half of a byte.
const LETTERS: &[u8; 16] = b"bcdfghjklmnpqrst";

/// Who may find a word.
pub(crate) struct Mark(String);

impl Mark {
    /// The mark of what everybody in the organization may find.
    pub(super) fn of_org(org: &OrgId) -> Self {
        Self::of_digest(Sha256::new().chain_update(b"words:organization\0").chain_update(org.as_str()))
    }

    /// The mark of what is found for one user.
    pub(super) fn of_user(org: &OrgId, user: &UserId) -> Self {
        let digest = Sha256::new().chain_update(b"words:user\0").chain_update(org.as_str());
        Self::of_digest(digest.chain_update(b"\0").chain_update(user.as_str()))
    }

    /// Two that share a mark make searches slower, not wrong: rows are filtered by their columns too.
    fn of_digest(digest: Sha256) -> Self {
        let letter = |half: u8| LETTERS.get(usize::from(half)).copied().map_or('b', char::from);
        let bytes = digest.finalize();
        Self(bytes.iter().take(4).flat_map(|byte| [letter(byte >> 4), letter(byte & 15)]).collect())
    }

    /// What the engine is to keep of these texts.
    pub(super) fn index(&self, texts: &[&str]) -> String {
        let Self(mark) = self;
        let mut index = String::new();
        let mut as_written = String::new();
        let mut seen = HashSet::new();
        for word in texts.iter().flat_map(|text| ::learning::words(text)) {
            if index.len() + mark.len() + word.len() > LONGEST_STEMMED {
                break;
            }
            index.extend([mark, word.as_str(), " "]);
            if as_written.len() + mark.len() + word.len() < LONGEST_AS_WRITTEN && seen.insert(word.clone()) {
                as_written.extend([mark, "0", &word, "0 "]);
            }
        }
        index + &as_written
    }

    /// What the engine is to look for.
    pub(super) fn wanted(&self, wanted: &Match) -> Wanted {
        let Self(mark) = self;
        let whole = wanted.text.whole_words().iter().map(|word| format!("{mark}{word}")).collect();
        let beginnings = wanted.text.prefix().map(|word| [format!("{mark}{word}"), format!("{mark}0{word}")]);
        Wanted { whole, beginnings: beginnings.into_iter().flatten().collect(), mode: wanted.mode }
    }
}

/// Marked words to look for; letters and digits only.
pub(crate) struct Wanted {
    /// Words.
    pub(crate) whole: Vec<String>,
    /// Beginnings of the last word; either will do.
    pub(crate) beginnings: Vec<String>,
    /// How many of the words are needed.
    pub(crate) mode: MatchMode,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn org(id: &str) -> OrgId {
        OrgId::new(id).unwrap()
    }

    fn user(id: &str) -> UserId {
        UserId::new(id).unwrap()
    }

    #[test]
    fn no_two_organizations_or_users_share_a_mark() {
        let marks = [
            Mark::of_org(&org("acme")),
            Mark::of_org(&org("umbrella")),
            Mark::of_user(&org("acme"), &user("ada")),
            Mark::of_user(&org("umbrella"), &user("ada")),
            Mark::of_user(&org("acme"), &user("bob")),
        ];

        let different: HashSet<_> = marks.iter().map(|mark| mark.0.as_str()).collect();

        assert_eq!(different.len(), marks.len());
        assert!(
            different.iter().all(|mark| mark.len() == 8 && !mark.contains(['a', 'e', 'i', 'o', 'u', 'y']))
        );
    }

    #[test]
    fn a_word_is_kept_to_be_stemmed_and_as_it_was_written() {
        let mark = Mark("bcd".to_owned());

        assert_eq!(mark.index(&["Refunds!"]), "bcdrefunds bcd0refunds0 ");
    }

    #[test]
    fn what_is_indexed_stays_below_what_a_vector_may_hold() {
        let mark = Mark::of_org(&org("acme"));
        let words: Vec<_> = (0..200_000).map(|n| format!("w{n}")).collect();
        let text = words.join(" ");

        assert!(mark.index(&[&text, &text]).len() <= LONGEST_STEMMED + LONGEST_AS_WRITTEN);
    }
}
