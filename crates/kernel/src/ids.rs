//! Names that people and agents give to things: trimmed, bounded and free of control characters, in one place.

use std::fmt;

/// Longest name, in characters, unless a kind of name states its own limit.
pub const LONGEST_NAME: usize = 255;

/// Why a text cannot name a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Nothing is left after trimming.
    #[error("must not be blank")]
    Blank,
    /// More characters than the kind of name allows.
    #[error("must be at most {longest} characters long")]
    TooLong {
        /// The limit that was passed.
        longest: usize,
    },
    /// NUL, a line break, or another character that does not print.
    #[error("must not contain control characters")]
    ControlCharacter,
    /// An organization id outside `[a-z0-9-]`.
    #[error("must consist of lower-case letters, digits and hyphens, 1 to 64 of them")]
    NotAnOrganizationId,
}

/// Trims and checks a name; blank is allowed here and refused by the kinds that need content.
fn tidy(text: &str, longest: usize) -> Result<&str, InvalidName> {
    let trimmed = text.trim();
    if trimmed.chars().any(char::is_control) {
        return Err(InvalidName::ControlCharacter);
    }
    if trimmed.chars().count() > longest {
        return Err(InvalidName::TooLong { longest });
    }
    Ok(trimmed)
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, longest: $longest:expr, blank: $blank:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Parses the name from a caller's text.
            ///
            /// # Errors
            /// Says what is wrong with the text.
            pub fn new(text: &str) -> Result<Self, InvalidName> {
                let trimmed = tidy(text, $longest)?;
                name!(@check $blank, trimmed);
                Ok(Self(trimmed.to_owned()))
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The name as owned text.
            #[must_use]
            pub fn into_string(self) -> String {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
    (@check refused, $text:expr) => {
        if $text.is_empty() {
            return Err(InvalidName::Blank);
        }
    };
    (@check allowed, $text:expr) => {};
}

name!(/// The person whose sessions and learnings these are.
    UserId, longest: LONGEST_NAME, blank: refused);
name!(/// A conversation, unique only together with its user.
    SessionId, longest: LONGEST_NAME, blank: refused);
name!(/// One published request, or one governance ticket.
    RequestId, longest: LONGEST_NAME, blank: refused);
name!(/// A retrieval experiment, never used twice in an organization.
    ExperimentId, longest: 128, blank: refused);
name!(/// The version of the agent that answered; empty when the agent did not say.
    AgentVersion, longest: LONGEST_NAME, blank: allowed);
name!(/// Where a request came from; empty when the agent did not say.
    Source, longest: LONGEST_NAME, blank: allowed);
name!(/// The evaluation that produced a result.
    EvaluationName, longest: LONGEST_NAME, blank: refused);
name!(/// A label that a person gives to a cohort or a credential.
    Label, longest: LONGEST_NAME, blank: refused);

impl SessionId {
    /// The session of a request that belongs to no other: it carries the request's own name.
    #[must_use]
    pub fn named_by(request: &RequestId) -> Self {
        Self(request.0.clone())
    }
}

impl AgentVersion {
    /// The version of an agent that did not state one.
    #[must_use]
    pub fn unstated() -> Self {
        Self(String::new())
    }
}

impl Source {
    /// The source of a request that did not state one.
    #[must_use]
    pub fn unstated() -> Self {
        Self(String::new())
    }
}

impl EvaluationName {
    /// The evaluation of whole sessions, whose results speak for a session before any other's.
    #[must_use]
    pub fn agent_success() -> Self {
        Self("agent_success".to_owned())
    }

    /// Whether this is the evaluation of whole sessions.
    #[must_use]
    pub fn is_agent_success(&self) -> bool {
        self.0 == "agent_success"
    }
}

/// An organization: everything belongs to exactly one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OrgId(String);

impl OrgId {
    /// Parses an organization id, `[a-z0-9-]{1,64}`.
    ///
    /// # Errors
    /// When the text is empty, too long or holds any other character.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        let fits = (1..=64).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if fits { Ok(Self(text.to_owned())) } else { Err(InvalidName::NotAnOrganizationId) }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OrgId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_at_the_edge() {
        assert_eq!(UserId::new("  ada \t").unwrap().as_str(), "ada");
    }

    #[test]
    fn a_blank_name_is_refused_where_a_name_is_needed() {
        assert_eq!(UserId::new(" \u{3000} "), Err(InvalidName::Blank));
    }

    #[test]
    fn a_source_may_be_empty() {
        assert_eq!(Source::new("  ").unwrap(), Source::unstated());
    }

    #[test]
    fn the_evaluation_of_whole_sessions_is_known_by_its_name() {
        assert!(EvaluationName::agent_success().is_agent_success());
        assert_eq!(EvaluationName::new("agent_success"), Ok(EvaluationName::agent_success()));
        assert!(!EvaluationName::new("tone").unwrap().is_agent_success());
    }

    #[test]
    fn a_control_character_inside_a_name_is_refused() {
        for text in ["a\0b", "a\nb", "a\u{7f}b", "a\u{85}b"] {
            assert_eq!(SessionId::new(text), Err(InvalidName::ControlCharacter), "{text:?}");
        }
    }

    #[test]
    fn a_request_without_a_session_names_its_own() {
        let request = RequestId::new("r-1").unwrap();

        assert_eq!(SessionId::named_by(&request), SessionId::new("r-1").unwrap());
    }

    #[test]
    fn length_counts_characters_not_bytes() {
        assert!(UserId::new(&"ü".repeat(255)).is_ok());
        assert_eq!(UserId::new(&"ü".repeat(256)), Err(InvalidName::TooLong { longest: 255 }));
    }

    #[test]
    fn an_experiment_id_is_at_most_128_characters() {
        assert!(ExperimentId::new(&"e".repeat(128)).is_ok());
        assert_eq!(ExperimentId::new(&"e".repeat(129)), Err(InvalidName::TooLong { longest: 128 }));
    }

    #[test]
    fn no_other_normalisation_is_applied() {
        assert_eq!(UserId::new("Ada  L").unwrap().as_str(), "Ada  L");
        assert_ne!(UserId::new("e\u{301}").unwrap(), UserId::new("é").unwrap());
    }

    #[test]
    fn an_organization_id_holds_only_lower_case_letters_digits_and_hyphens() {
        assert!(OrgId::new("acme-7").is_ok());
        for text in ["", "Acme", "a b", "a_b", "é", " acme"] {
            assert_eq!(OrgId::new(text), Err(InvalidName::NotAnOrganizationId), "{text:?}");
        }
        assert!(OrgId::new(&"a".repeat(64)).is_ok());
        assert!(OrgId::new(&"a".repeat(65)).is_err());
    }
}
