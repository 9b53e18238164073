//! What to look for: words, never syntax.

use std::collections::HashSet;

/// The most different words of a query that are looked for; a question is shorter, and a ranking gains nothing.
const MOST_WORDS: usize = 64;

/// The longest word that is looked for, in characters: longer ones pass what full-text engines index.
const LONGEST_WORD: usize = 255;

/// A query that asks nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must not be blank")]
pub struct BlankQuery;

/// The words of a query. Whatever a caller sends, only letters and digits come through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    whole: Vec<String>,
    prefix: Option<String>,
}

impl SearchText {
    /// Takes the words out of a query.
    ///
    /// # Errors
    /// When the query is blank. One of mere punctuation is not: it looks for nothing and finds nothing.
    pub fn new(query: &str) -> Result<Self, BlankQuery> {
        if query.trim().is_empty() {
            return Err(BlankQuery);
        }
        let mut words = words(query);
        let prefix = words.next_back();
        let mut seen: HashSet<String> = prefix.iter().cloned().collect();
        let whole = words.filter(|word| seen.insert(word.clone())).take(MOST_WORDS - 1).collect();
        Ok(Self { whole, prefix })
    }

    /// The different words before the last, lower-cased.
    #[must_use]
    pub fn whole_words(&self) -> &[String] {
        &self.whole
    }

    /// The last word, lower-cased: it may be the beginning of a longer one. `None` when the query has no word.
    #[must_use]
    pub fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// Whether there is no word to look for.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.prefix.is_none()
    }

    /// Whether there is only one word, so that all words and any word mean the same.
    #[must_use]
    pub const fn is_one_word(&self) -> bool {
        self.whole.is_empty() && self.prefix.is_some()
    }
}

/// The words of a text, lower-cased, one after another: what a search looks for and what it looks in are cut alike.
pub fn words(text: &str) -> impl DoubleEndedIterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).map(fold).filter(|word| !word.is_empty())
}

fn fold(word: &str) -> String {
    // Lower-casing can bring forth marks that are no letters ("İ"); they go, so that a word stays a word.
    word.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).take(LONGEST_WORD).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(query: &str) -> Vec<String> {
        let text = SearchText::new(query).unwrap();
        text.whole_words().iter().map(String::as_str).chain(text.prefix()).map(str::to_owned).collect()
    }

    #[test]
    fn a_blank_query_is_refused() {
        for query in ["", " ", "\t\n", "\u{3000}"] {
            assert_eq!(SearchText::new(query), Err(BlankQuery), "{query:?}");
        }
    }

    #[test]
    fn the_last_word_may_be_the_beginning_of_a_longer_one() {
        let text = SearchText::new("Short ANSW").unwrap();

        assert_eq!(text.whole_words(), ["short"]);
        assert_eq!(text.prefix(), Some("answ"));
    }

    #[test]
    fn punctuation_quotes_and_operators_are_no_syntax() {
        assert_eq!(
            words_of(r#""a" AND b* NEAR(c, 2) -d ^e:f | g & !h <-> i \ j' ; --"#),
            ["a", "and", "b", "near", "c", "2", "d", "e", "f", "g", "h", "i", "j"]
        );
        assert_eq!(
            words_of("naïve Ünïcode 東京 3.14 O'Neil_x"),
            ["naïve", "ünïcode", "東京", "3", "14", "o", "neil", "x"]
        );
    }

    #[test]
    fn a_query_without_a_word_looks_for_nothing() {
        for query in ["\"", "***", "' ''='", "\0", "🙂 🙂", "()"] {
            assert!(SearchText::new(query).unwrap().is_empty(), "{query:?}");
        }
    }

    #[test]
    fn a_repeated_word_is_looked_for_once_and_the_last_word_stays_last() {
        assert_eq!(words_of("foo bar foo BAR foo"), ["bar", "foo"]);
    }

    #[test]
    fn a_query_of_ten_thousand_characters_is_cut_to_what_an_engine_can_look_for() {
        let many: Vec<String> = (0..5_000).map(|n| format!("w{n}")).collect();
        let found = words_of(&many.join(" "));
        let long = words_of(&"x".repeat(10_000));

        assert_eq!(found.len(), 64);
        assert_eq!(found.last().map(String::as_str), Some("w4999"));
        assert_eq!(long, ["x".repeat(255)]);
    }

    #[test]
    fn only_letters_and_digits_come_through_whatever_the_case_rules_say() {
        for word in words_of("İstanbul ŉ ǰ ß ẞ ﬁ Σς") {
            assert!(word.chars().all(char::is_alphanumeric), "{word}");
        }
    }

    #[test]
    fn a_text_is_cut_into_words_as_a_query_is() {
        let text = "Mail Ada.Lovelace@example.com: 3.14 O'Neil, twice TWICE!";

        let cut: Vec<_> = super::words(text).collect();

        assert_eq!(
            cut,
            ["mail", "ada", "lovelace", "example", "com", "3", "14", "o", "neil", "twice", "twice"]
        );
    }

    #[test]
    fn one_word_is_one_word_however_often_it_is_said() {
        assert!(SearchText::new("tea Tea TEA!").unwrap().is_one_word());
        assert!(!SearchText::new("tea time").unwrap().is_one_word());
        assert!(!SearchText::new("?!").unwrap().is_one_word());
    }
}
