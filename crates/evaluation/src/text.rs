//! Free text that a judge writes: bounded, and without NUL, which no database keeps.

/// Longest explanation, in characters.
pub const LONGEST_REASON: usize = 10_000;

/// Why a text cannot be kept as an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// Fewer characters than the field needs.
    #[error("must be at least {shortest} characters long")]
    TooShort {
        /// The limit that was not reached.
        shortest: usize,
    },
    /// More characters than the field takes.
    #[error("must be at most {longest} characters long")]
    TooLong {
        /// The limit that was passed.
        longest: usize,
    },
    /// The text holds NUL.
    #[error("must not contain NUL")]
    Nul,
}

/// Checks a free text against its limits, which count characters.
pub(crate) fn checked(text: &str, shortest: usize, longest: usize) -> Result<(), InvalidText> {
    if text.contains('\0') {
        return Err(InvalidText::Nul);
    }
    match text.chars().count() {
        length if length < shortest => Err(InvalidText::TooShort { shortest }),
        length if length > longest => Err(InvalidText::TooLong { longest }),
        _ => Ok(()),
    }
}

/// An explanation in a judge's words; empty when it gave none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reason(String);

impl Reason {
    /// Checks an explanation.
    ///
    /// # Errors
    /// When it is too long or holds NUL.
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        checked(text, 0, LONGEST_REASON)?;
        Ok(Self(text.to_owned()))
    }

    /// The explanation as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_may_be_empty_but_not_endless() {
        assert_eq!(Reason::new(""), Ok(Reason::default()));
        assert!(Reason::new(&"é".repeat(LONGEST_REASON)).is_ok());
        assert_eq!(
            Reason::new(&"é".repeat(LONGEST_REASON + 1)),
            Err(InvalidText::TooLong { longest: LONGEST_REASON })
        );
    }

    #[test]
    fn a_reason_keeps_line_breaks_and_refuses_nul() {
        assert_eq!(Reason::new("a\n\tb").unwrap().as_str(), "a\n\tb");
        assert_eq!(Reason::new("a\0b"), Err(InvalidText::Nul));
    }
}
