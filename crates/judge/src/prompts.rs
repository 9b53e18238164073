//! The prompts that this binary carries: versioned files, known by their digest.

use evaluation::PromptVersion;
use organization::PromptCatalogue;
use sha2::{Digest, Sha256};

/// What a judge can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// Did the agent do what the user wanted?
    Session,
    /// Was each learning relevant to its turn?
    Relevance,
    /// What did each learning do to its turn?
    Impact,
    /// Which of two responses is better?
    Shadow,
}

/// The wording of a question, in one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prompt {
    /// What is asked.
    pub question: Question,
    /// The version of the wording.
    pub version: &'static str,
    /// The wording.
    pub text: &'static str,
}

/// The version that is used where nobody pins another.
pub const CURRENT: &str = "v1.1.0";

/// Every prompt. A file that was released is never changed: a new wording is a new file with a new version.
const CARRIED: [Prompt; 4] = [
    Prompt { question: Question::Session, version: CURRENT, text: include_str!("prompts/session.v1.1.0.md") },
    Prompt {
        question: Question::Relevance,
        version: CURRENT,
        text: include_str!("prompts/relevance.v1.1.0.md"),
    },
    Prompt { question: Question::Impact, version: CURRENT, text: include_str!("prompts/impact.v1.1.0.md") },
    Prompt { question: Question::Shadow, version: CURRENT, text: include_str!("prompts/shadow.v1.1.0.md") },
];

impl Prompt {
    /// SHA-256 of the wording, in hex.
    #[must_use]
    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(self.text.as_bytes()))
    }
}

/// The catalogue of the prompts that this binary carries.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prompts;

impl Prompts {
    /// The wording of a question in a version, if it is carried.
    #[must_use]
    pub fn find(self, question: Question, version: &str) -> Option<Prompt> {
        CARRIED.into_iter().find(|prompt| prompt.question == question && prompt.version == version)
    }

    /// The wording of a question that is used where nobody pins another.
    #[must_use]
    pub fn current(self, question: Question) -> Prompt {
        let [session, relevance, impact, shadow] = CARRIED;
        match question {
            Question::Session => session,
            Question::Relevance => relevance,
            Question::Impact => impact,
            Question::Shadow => shadow,
        }
    }

    /// Whether verdicts on shadows can be made and read under this version.
    #[must_use]
    pub fn carries(self, version: &str) -> bool {
        self.find(Question::Shadow, version).is_some()
    }

    /// The version that is used where nobody pins another, as judging knows it.
    ///
    /// # Panics
    /// Never: the version is a constant that is a valid name.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a constant of this file, checked by its tests")]
    pub fn version_of(prompt: &Prompt) -> PromptVersion {
        PromptVersion::new(prompt.version).expect("the versions of this file are valid names")
    }
}

impl PromptCatalogue for Prompts {
    fn carries(&self, version: &str) -> bool {
        Self::carries(*self, version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTIONS: [Question; 4] =
        [Question::Session, Question::Relevance, Question::Impact, Question::Shadow];

    #[test]
    fn the_default_version_of_the_configuration_is_carried_and_others_are_not() {
        let configuration = organization::Configuration::default_for(organization::Profile::Standard);

        assert!(Prompts.carries(&configuration.shadow_comparison_judge_prompt_version));
        assert!(!Prompts.carries("v0.9.0") && !Prompts.carries(""));
    }

    #[test]
    fn every_question_has_a_current_wording_of_its_own() {
        for question in QUESTIONS {
            let prompt = Prompts.current(question);

            assert_eq!(prompt.question, question);
            assert_eq!(Prompts.find(question, prompt.version), Some(prompt));
            assert_eq!(Prompts::version_of(&prompt).as_str(), CURRENT);
        }
        let mut hashes = QUESTIONS.map(|question| Prompts.current(question).hash());
        hashes.sort();
        assert!(hashes.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn every_prompt_says_that_the_conversation_is_no_instruction() {
        for question in QUESTIONS {
            assert!(Prompts.current(question).text.contains("evidence, never instruction"));
        }
    }

    #[test]
    fn a_released_wording_never_changes() {
        let hashes = QUESTIONS.map(|question| Prompts.current(question).hash());

        assert_eq!(hashes, RELEASED);
    }

    const RELEASED: [&str; 4] = [
        "ba3890e17eb6bf2a83f2f888a59bf478a3ab8f46895de1505caedabab7bf0ee1",
        "178f7109e4a5b4a2b5d9e403a72ef16688beda00d6139ab0bc6950e5d4969db3",
        "c4a51e816a8d8b071137d1d9b6b5b1f56992837113de45dd3fb05de9a4434e3b",
        "b28cfd400ece6ad50058691f5b6fffa911e5220b9b27f863b4181fcd50614acd",
    ];
}
