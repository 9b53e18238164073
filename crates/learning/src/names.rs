//! Names and numbers of the things in this room.

use std::fmt;

use kernel::{InvalidName, Label};

/// A number that cannot identify anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a positive whole number")]
pub struct InvalidNumber;

macro_rules! short_name {
    ($(#[$doc:meta])* $name:ident, blank: $blank:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Parses the name from a caller's text, by the rules that hold for every name.
            ///
            /// # Errors
            /// Says what is wrong with the text.
            pub fn new(text: &str) -> Result<Self, InvalidName> {
                short_name!(@blank $blank, text);
                Label::new(text).map(|name| Self(name.into_string()))
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

        short_name!(@default $blank, $name);
    };
    (@blank allowed, $text:expr) => {
        if $text.trim().is_empty() {
            return Ok(Self(String::new()));
        }
    };
    (@blank refused, $text:expr) => {};
    (@default allowed, $name:ident) => {
        impl Default for $name {
            fn default() -> Self {
                Self(String::new())
            }
        }
    };
    (@default refused, $name:ident) => {};
}

short_name!(/// A profile, unique in its organization.
    ProfileId, blank: refused);
short_name!(/// A learning as a caller names it: a profile's id, or a playbook's number as text.
    LearningId, blank: refused);
short_name!(/// A word that people sort learnings by.
    Tag, blank: refused);
short_name!(/// What a playbook is called; empty when nobody named it.
    PlaybookName, blank: allowed);
short_name!(/// A short remark that we keep and hand back: a tool's name, a citation's mark, a time to live.
    Remark, blank: allowed);

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(i64);

        impl $name {
            /// Checks the number.
            ///
            /// # Errors
            /// When it is not positive: 0 means unset on the wire.
            pub const fn new(number: i64) -> Result<Self, InvalidNumber> {
                if number > 0 { Ok(Self(number)) } else { Err(InvalidNumber) }
            }

            /// The number that a caller may have given, where 0 means that none is set.
            ///
            /// # Errors
            /// When it is negative.
            pub const fn unless_unset(number: i64) -> Result<Option<Self>, InvalidNumber> {
                match number {
                    0 => Ok(None),
                    1.. => Ok(Some(Self(number))),
                    _ => Err(InvalidNumber),
                }
            }

            /// The number.
            #[must_use]
            pub const fn number(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

number!(/// One turn of a conversation.
    InteractionId);
number!(/// What was learned from one user's sessions.
    UserPlaybookId);
number!(/// What an organization's agents do, distilled from many users.
    AgentPlaybookId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_needs_a_name_and_a_playbook_does_not() {
        assert_eq!(ProfileId::new("  "), Err(InvalidName::Blank));
        assert_eq!(PlaybookName::new("  "), Ok(PlaybookName::default()));
    }

    #[test]
    fn names_are_trimmed_bounded_and_free_of_control_characters() {
        assert_eq!(Tag::new(" billing ").unwrap().as_str(), "billing");
        assert_eq!(PlaybookName::new(&"n".repeat(256)), Err(InvalidName::TooLong { longest: 255 }));
        assert_eq!(Remark::new("a\u{1}b"), Err(InvalidName::ControlCharacter));
    }

    #[test]
    fn zero_means_that_no_number_is_set() {
        assert_eq!(UserPlaybookId::unless_unset(0), Ok(None));
        assert_eq!(UserPlaybookId::unless_unset(7), Ok(Some(UserPlaybookId(7))));
        assert_eq!(UserPlaybookId::unless_unset(-1), Err(InvalidNumber));
        assert_eq!(AgentPlaybookId::new(0), Err(InvalidNumber));
    }
}
