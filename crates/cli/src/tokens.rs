//! Counting tokens as `cl100k_base` does.

use learning::{TokenCount, TokenCounter};

/// Counts with the encoding's own tables, which the binary carries.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cl100kBase;

impl TokenCounter for Cl100kBase {
    fn count(&self, text: &str) -> Option<TokenCount> {
        let tokens = tiktoken_rs::cl100k_base_singleton().encode_ordinary(text).len();
        u32::try_from(tokens).ok().map(TokenCount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_as_the_encoding_counts_them() {
        let count = |text| Cl100kBase.count(text).unwrap().0;

        assert_eq!((count(""), count("hello world"), count("tiktoken is great!")), (0, 2, 6));
    }

    #[test]
    fn a_special_marker_inside_a_text_is_just_text() {
        assert!(Cl100kBase.count("<|endoftext|>").unwrap().0 > 1);
    }
}
