//! One turn of a conversation: who spoke, what was said, and what it rested on.

use kernel::{InvalidName, Timestamp};

use crate::{EventTime, FreeText, JsonText, LearningId, Remark};

/// Who spoke, in the caller's own word; compared trimmed and case-insensitively.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role(Remark);

impl Role {
    /// The role that a caller named; a blank one is the user.
    ///
    /// # Errors
    /// When the text is too long or holds control characters.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        Remark::new(if text.trim().is_empty() { "User" } else { text }).map(Self)
    }

    /// The caller's word for it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether the user spoke. Everyone else's words count as output.
    #[must_use]
    pub fn is_user(&self) -> bool {
        self.is("user")
    }

    /// Whether the agent spoke.
    #[must_use]
    pub fn is_agent(&self) -> bool {
        self.is("agent") || self.is("assistant")
    }

    fn is(&self, word: &str) -> bool {
        self.as_str().eq_ignore_ascii_case(word)
    }
}

/// The kinds of learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LearningKind {
    /// What is known about a user.
    Profile,
    /// What was learned from one user's sessions.
    UserPlaybook,
    /// What an organization's agents do.
    AgentPlaybook,
}

/// A tool that the agent called on a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool.
    pub tool_name: Remark,
    /// What went in or came out, if the caller said.
    pub tool_data: Option<JsonText>,
    /// How the call ended, if the caller said.
    pub status: Option<Remark>,
}

/// A learning that a turn says it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The kind of learning.
    pub kind: LearningKind,
    /// Which one.
    pub real_id: LearningId,
    /// The mark that stands for it in the text.
    pub tag: Remark,
    /// Its title when it was cited.
    pub title: FreeText,
}

/// A learning that was put before the agent for a turn.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RetrievedLearning {
    /// The kind of learning.
    pub kind: LearningKind,
    /// Which one.
    pub learning_id: LearningId,
}

/// What one turn carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// Who spoke.
    pub role: Role,
    /// What was said.
    pub content: FreeText,
    /// What another version of the agent would have said.
    pub shadow_content: FreeText,
    /// What an expert would have said.
    pub expert_content: FreeText,
    /// What the user did, `none` when nothing.
    pub user_action: Remark,
    /// The same in words.
    pub user_action_description: FreeText,
    /// The picture that the user acted on.
    pub interacted_image_url: FreeText,
    /// The tools that were called.
    pub tools_used: Vec<ToolUse>,
    /// The learnings that the turn says it rests on.
    pub citations: Vec<Citation>,
    /// The learnings that were put before the agent.
    pub retrieved_learnings: Vec<RetrievedLearning>,
}

impl Interaction {
    /// A turn of this role that carries nothing yet.
    #[must_use]
    pub fn empty(role: Role) -> Self {
        Self {
            role,
            content: FreeText::default(),
            shadow_content: FreeText::default(),
            expert_content: FreeText::default(),
            user_action: Remark::default(),
            user_action_description: FreeText::default(),
            interacted_image_url: FreeText::default(),
            tools_used: Vec::new(),
            citations: Vec::new(),
            retrieved_learnings: Vec::new(),
        }
    }

    /// Whether there is nothing in it to keep.
    #[must_use]
    pub fn carries_nothing(&self) -> bool {
        let acted = !matches!(self.user_action.as_str(), "" | "none");
        let texts = [
            &self.content,
            &self.shadow_content,
            &self.expert_content,
            &self.user_action_description,
            &self.interacted_image_url,
        ];
        !acted
            && texts.into_iter().all(FreeText::is_blank)
            && self.tools_used.is_empty()
            && self.citations.is_empty()
            && self.retrieved_learnings.is_empty()
    }

    /// Whether it is a turn of the agent that has another version to be compared with.
    #[must_use]
    pub fn has_shadow(&self) -> bool {
        self.role.is_agent() && !self.shadow_content.is_blank()
    }
}

/// A turn as a caller hands it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInteraction {
    /// When it happened, if the caller said.
    pub created_at: Option<EventTime>,
    /// What it carries.
    pub body: Interaction,
}

/// The number of tokens in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenCount(pub u32);

/// A turn that is ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedInteraction {
    /// When it happened.
    pub created_at: Timestamp,
    /// The tokens of its content; `None` on a user's turn, which is not output, and where counting failed.
    pub output_tokens: Option<TokenCount>,
    /// What it carries.
    pub body: Interaction,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn() -> Interaction {
        Interaction::empty(Role::new("Agent").unwrap())
    }

    fn text(text: &str) -> FreeText {
        FreeText::new(text).unwrap()
    }

    #[test]
    fn roles_are_compared_trimmed_and_in_any_case() {
        assert!(Role::new(" USER ").unwrap().is_user());
        assert!(Role::new("Assistant\t").unwrap().is_agent());
        assert!(Role::new("aGeNt").unwrap().is_agent());
    }

    #[test]
    fn everyone_but_the_user_is_not_the_user() {
        for word in ["agent", "assistant", "tool", "system", "users"] {
            assert!(!Role::new(word).unwrap().is_user(), "{word}");
        }
        assert!(!Role::new("tool").unwrap().is_agent());
    }

    #[test]
    fn a_blank_role_is_the_user() {
        assert_eq!(Role::new(" ").unwrap().as_str(), "User");
    }

    #[test]
    fn the_callers_own_word_for_a_role_is_kept() {
        assert_eq!(Role::new("ASSISTANT").unwrap().as_str(), "ASSISTANT");
    }

    #[test]
    fn blanks_and_the_action_none_carry_nothing() {
        let none = Interaction { user_action: Remark::new("none").unwrap(), content: text(" \n"), ..turn() };

        assert!(turn().carries_nothing());
        assert!(none.carries_nothing());
    }

    #[test]
    fn any_single_field_carries_something() {
        let kind = LearningKind::Profile;
        let id = LearningId::new("p").unwrap();
        let tool = ToolUse { tool_name: Remark::new("search").unwrap(), tool_data: None, status: None };
        let cited = Citation { kind, real_id: id.clone(), tag: Remark::default(), title: text("") };
        let carrying = [
            Interaction { content: text("x"), ..turn() },
            Interaction { shadow_content: text("x"), ..turn() },
            Interaction { expert_content: text("x"), ..turn() },
            Interaction { user_action: Remark::new("click").unwrap(), ..turn() },
            Interaction { user_action_description: text("x"), ..turn() },
            Interaction { interacted_image_url: text("x"), ..turn() },
            Interaction { tools_used: vec![tool], ..turn() },
            Interaction { citations: vec![cited], ..turn() },
            Interaction { retrieved_learnings: vec![RetrievedLearning { kind, learning_id: id }], ..turn() },
        ];

        for interaction in carrying {
            assert!(!interaction.carries_nothing(), "{interaction:?}");
        }
    }

    #[test]
    fn only_an_agents_turn_with_shadow_content_has_a_shadow() {
        let user =
            Interaction { shadow_content: text("x"), ..Interaction::empty(Role::new("User").unwrap()) };

        assert!(Interaction { shadow_content: text("x"), ..turn() }.has_shadow());
        assert!(!Interaction { shadow_content: text("  "), ..turn() }.has_shadow());
        assert!(!user.has_shadow());
    }
}
