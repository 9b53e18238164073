//! The digest of a judged playbook: SHA-256 of its canonical JSON.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// SHA-256, in hex, of `{"content":…,"trigger":…}` without spaces, keys in order, escaped as little as JSON allows.
///
/// That is the JSON Canonicalization Scheme (RFC 8785) for an object of two strings, so anyone can work it out again.
pub(super) fn playbook_digest(content: &str, trigger: &str) -> String {
    let mut json = String::from("{\"content\":");
    push_text(&mut json, content);
    json.push_str(",\"trigger\":");
    push_text(&mut json, trigger);
    json.push('}');
    hex::encode(Sha256::digest(json.as_bytes()))
}

fn push_text(json: &mut String, text: &str) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\u{8}' => json.push_str("\\b"),
            '\t' => json.push_str("\\t"),
            '\n' => json.push_str("\\n"),
            '\u{c}' => json.push_str("\\f"),
            '\r' => json.push_str("\\r"),
            control if control < ' ' => {
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            other => json.push(other),
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_canonical_json() {
        // printf '%s' '{"content":"ask first","trigger":"a refund"}' | sha256sum
        assert_eq!(
            playbook_digest("ask first", "a refund"),
            "814b199e1a2ec4dc3b6c61ac39e8d21db2de70be9d7e55d4ec7091b5f439d911"
        );
    }

    #[test]
    fn texts_are_escaped_as_little_as_json_allows() {
        let mut json = String::new();
        push_text(&mut json, "a\"\\\u{8}\t\n\u{c}\r\u{1}é/€");

        assert_eq!(json, r#""a\"\\\b\t\n\f\r\u0001é/€""#);
    }

    #[test]
    fn text_that_moves_from_content_to_trigger_makes_another_digest() {
        assert_ne!(playbook_digest("ab", "c"), playbook_digest("a", "bc"));
        assert_ne!(playbook_digest("", "x"), playbook_digest("x", ""));
    }
}
