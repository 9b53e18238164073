//! Free text that people and agents wrote, and JSON that we keep without looking inside.

use std::fmt;

/// Longest free text, in characters.
pub const LONGEST_TEXT: usize = 1_000_000;

/// Why a text cannot be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// More characters than we keep.
    #[error("must be at most {LONGEST_TEXT} characters long")]
    TooLong,
    /// PostgreSQL cannot hold NUL in text, so no store of ours does.
    #[error("must not contain NUL")]
    Nul,
}

/// Free text: bounded and without NUL, otherwise kept as it was written, other control characters included.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct FreeText(String);

impl FreeText {
    /// Checks the text.
    ///
    /// # Errors
    /// When it is too long or holds NUL.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidText> {
        let text = text.into();
        // Bytes are never fewer than characters, so most texts need no counting.
        if text.len() > LONGEST_TEXT && text.chars().count() > LONGEST_TEXT {
            return Err(InvalidText::TooLong);
        }
        if text.contains('\0') {
            return Err(InvalidText::Nul);
        }
        Ok(Self(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    /// Whether it says nothing: empty, or only white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Display for FreeText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A JSON document as text. Whoever made it has checked that it is JSON; no rule looks inside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JsonText(String);

impl JsonText {
    /// Wraps the text of a JSON document.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The document's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The document's text, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_be_a_million_characters_long_and_not_one_more() {
        assert!(FreeText::new("ü".repeat(LONGEST_TEXT)).is_ok());
        assert_eq!(FreeText::new("ü".repeat(LONGEST_TEXT + 1)), Err(InvalidText::TooLong));
    }

    #[test]
    fn nul_is_refused_and_other_control_characters_are_kept() {
        assert_eq!(FreeText::new("a\0b"), Err(InvalidText::Nul));
        assert_eq!(FreeText::new("\u{1}a\tb\r\n\u{7f}").unwrap().as_str(), "\u{1}a\tb\r\n\u{7f}");
    }

    #[test]
    fn white_space_alone_says_nothing() {
        assert!(FreeText::new(" \n\t").unwrap().is_blank());
        assert!(!FreeText::new(" . ").unwrap().is_blank());
    }
}
