//! Closed vocabularies: each word is one variant, spelled the same on the wire and in the store.

/// Declares an enum whose variants have a fixed spelling.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$word_doc])* $word),+
        }

        impl $name {
            /// Every word, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$word),+];

            /// The word as it is spelled.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text),+
                }
            }

            /// The word with this spelling, if there is one.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text)
            }
        }
    };
}

pub(crate) use vocabulary;

#[cfg(test)]
mod tests {
    use crate::{Bucket, DiagnosisCategory, FailureType, HeroState, Impact, LearningKind, RegularVsShadow};

    #[test]
    fn every_word_is_spelled_as_the_interface_spells_it() {
        let kinds: Vec<_> = LearningKind::ALL.iter().map(|word| word.as_str()).collect();
        let impacts: Vec<_> = Impact::ALL.iter().map(|word| word.as_str()).collect();
        let categories: Vec<_> = DiagnosisCategory::ALL.iter().map(|word| word.as_str()).collect();
        let failures: Vec<_> = FailureType::ALL.iter().map(|word| word.as_str()).collect();
        let preferences: Vec<_> = RegularVsShadow::ALL.iter().map(|word| word.as_str()).collect();
        let buckets: Vec<_> = Bucket::ALL.iter().map(|word| word.as_str()).collect();
        let states: Vec<_> = HeroState::ALL.iter().map(|word| word.as_str()).collect();

        assert_eq!(kinds, ["agent_playbook", "profile", "user_playbook"]);
        assert_eq!(impacts, ["positive", "negative", "neutral"]);
        assert_eq!(
            categories,
            ["content_defect", "application_failure", "external_failure", "no_issue", "unknown"]
        );
        assert_eq!(
            failures,
            ["system_error", "missing_tool", "wrong_tool", "insufficient_info_from_tool", "wrong_answer"]
        );
        assert_eq!(
            preferences,
            [
                "regular_is_better",
                "regular_is_slightly_better",
                "shadow_is_better",
                "shadow_is_slightly_better",
                "tied"
            ]
        );
        assert_eq!(buckets, ["hour", "day", "week"]);
        assert_eq!(states, ["empty", "shadow_off", "early", "full"]);
    }

    #[test]
    fn a_word_is_read_back_as_it_was_spelled_and_no_other_way() {
        for word in FailureType::ALL {
            assert_eq!(FailureType::parse(word.as_str()), Some(*word));
        }
        assert_eq!(FailureType::parse("System_Error"), None);
        assert_eq!(FailureType::parse(""), None);
    }
}
