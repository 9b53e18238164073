//! The fingerprint of a published body, by which a repeat is told from a reuse.

use sha2::{Digest, Sha256};

use crate::{Arm, Interaction, LearningKind, NewInteraction, Publication, Purpose};

/// SHA-256 over everything a caller stated in a publication but its request id.
///
/// What the caller left out stays left out: a body without times has the same digest whenever it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyDigest([u8; 32]);

impl BodyDigest {
    /// The digest of a publication.
    #[must_use]
    pub fn of(publication: &Publication) -> Self {
        let mut body = Encoding::new("publish-body:v1");
        body.text(publication.user.as_str());
        body.optional(publication.session.as_ref().map(kernel::SessionId::as_str));
        body.text(publication.source.as_str());
        body.text(publication.agent_version.as_str());
        body.text(match publication.purpose {
            Purpose::Learning => "learning",
            Purpose::EvaluationOnly => "evaluation",
        });
        body.optional(publication.attribution.as_ref().map(|stated| stated.experiment.as_str()));
        body.optional(publication.attribution.as_ref().map(|stated| match stated.arm {
            Arm::Treatment => "treatment",
            Arm::Holdout => "holdout",
        }));
        body.list(&publication.interactions, Encoding::new_interaction);
        Self(body.0.finalize().into())
    }

    /// A digest that was kept.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest, to be kept.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// An injective encoding: every text and list is preceded by its length, every optional by its presence.
struct Encoding(Sha256);

impl Encoding {
    fn new(domain: &str) -> Self {
        let mut encoding = Self(Sha256::new());
        encoding.text(domain);
        encoding
    }

    fn length(&mut self, length: usize) {
        self.0.update(u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.update(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.length(usize::from(text.is_some()));
        self.text(text.unwrap_or_default());
    }

    fn list<T>(&mut self, entries: &[T], encode: impl Fn(&mut Self, &T)) {
        self.length(entries.len());
        for entry in entries {
            encode(self, entry);
        }
    }

    fn kind(&mut self, kind: LearningKind) {
        self.text(match kind {
            LearningKind::Profile => "profile",
            LearningKind::UserPlaybook => "user_playbook",
            LearningKind::AgentPlaybook => "agent_playbook",
        });
    }

    fn new_interaction(&mut self, interaction: &NewInteraction) {
        let stated = interaction.created_at.map(|at| at.timestamp().seconds().to_string());
        self.optional(stated.as_deref());
        self.interaction(&interaction.body);
    }

    fn interaction(&mut self, body: &Interaction) {
        self.text(body.role.as_str());
        self.text(body.content.as_str());
        self.text(body.shadow_content.as_str());
        self.text(body.expert_content.as_str());
        self.text(body.user_action.as_str());
        self.text(body.user_action_description.as_str());
        self.text(body.interacted_image_url.as_str());
        self.list(&body.tools_used, |encoding, tool| {
            encoding.text(tool.tool_name.as_str());
            encoding.optional(tool.tool_data.as_ref().map(crate::JsonText::as_str));
            encoding.optional(tool.status.as_ref().map(crate::Remark::as_str));
        });
        self.list(&body.citations, |encoding, citation| {
            encoding.kind(citation.kind);
            encoding.text(citation.real_id.as_str());
            encoding.text(citation.tag.as_str());
            encoding.text(citation.title.as_str());
        });
        self.list(&body.retrieved_learnings, |encoding, learning| {
            encoding.kind(learning.kind);
            encoding.text(learning.learning_id.as_str());
        });
    }
}

#[cfg(test)]
mod tests {
    use kernel::{AgentVersion, ExperimentId, RequestId, SessionId, Source, UserId};

    use super::*;
    use crate::{
        Attribution, Citation, EventTime, FreeText, JsonText, LearningId, Remark, RetrievedLearning, Role,
        ToolUse,
    };

    fn text(text: &str) -> FreeText {
        FreeText::new(text).unwrap()
    }

    fn turn(content: &str, shadow: &str) -> NewInteraction {
        let role = Role::new("agent").unwrap();
        let body =
            Interaction { content: text(content), shadow_content: text(shadow), ..Interaction::empty(role) };
        NewInteraction { created_at: None, body }
    }

    fn publication(interactions: Vec<NewInteraction>) -> Publication {
        Publication {
            user: UserId::new("ada").unwrap(),
            session: None,
            request: None,
            source: Source::unstated(),
            agent_version: AgentVersion::unstated(),
            purpose: Purpose::Learning,
            attribution: None,
            interactions,
        }
    }

    #[test]
    fn the_request_id_is_no_part_of_the_body() {
        let named =
            Publication { request: Some(RequestId::new("r").unwrap()), ..publication(vec![turn("a", "")]) };

        assert_eq!(BodyDigest::of(&named), BodyDigest::of(&publication(vec![turn("a", "")])));
    }

    #[test]
    fn text_that_moves_from_one_field_to_the_next_makes_another_body() {
        let left = publication(vec![turn("ab", "c")]);
        let right = publication(vec![turn("a", "bc")]);

        assert_ne!(BodyDigest::of(&left), BodyDigest::of(&right));
    }

    #[test]
    fn every_stated_field_of_a_request_counts() {
        let plain = publication(vec![turn("a", "")]);
        let experiment = ExperimentId::new("exp").unwrap();
        let treated = Attribution { experiment, arm: Arm::Treatment };
        let variants = [
            plain.clone(),
            Publication { user: UserId::new("bob").unwrap(), ..plain.clone() },
            Publication { session: Some(SessionId::new("s").unwrap()), ..plain.clone() },
            Publication { source: Source::new("web").unwrap(), ..plain.clone() },
            Publication { agent_version: AgentVersion::new("v1").unwrap(), ..plain.clone() },
            Publication { purpose: Purpose::EvaluationOnly, ..plain.clone() },
            Publication { attribution: Some(treated.clone()), ..plain.clone() },
            Publication { attribution: Some(Attribution { arm: Arm::Holdout, ..treated }), ..plain.clone() },
            publication(vec![turn("a", ""), turn("a", "")]),
        ];

        assert_all_differ(&variants);
    }

    #[test]
    fn every_stated_field_of_an_interaction_counts() {
        let kind = LearningKind::Profile;
        let id = LearningId::new("p").unwrap();
        let tool = ToolUse { tool_name: Remark::new("t").unwrap(), tool_data: None, status: None };
        let with_data = ToolUse { tool_data: Some(JsonText::new("{}")), ..tool.clone() };
        let with_status = ToolUse { status: Some(Remark::new("ok").unwrap()), ..tool.clone() };
        let cited = Citation { kind, real_id: id.clone(), tag: Remark::default(), title: text("") };
        let body = turn("a", "").body;
        let bodies = [
            Interaction { role: Role::new("tool").unwrap(), ..body.clone() },
            Interaction { expert_content: text("x"), ..body.clone() },
            Interaction { user_action: Remark::new("click").unwrap(), ..body.clone() },
            Interaction { user_action_description: text("x"), ..body.clone() },
            Interaction { interacted_image_url: text("x"), ..body.clone() },
            Interaction { tools_used: vec![tool], ..body.clone() },
            Interaction { tools_used: vec![with_data], ..body.clone() },
            Interaction { tools_used: vec![with_status], ..body.clone() },
            Interaction { citations: vec![cited], ..body.clone() },
            Interaction {
                retrieved_learnings: vec![RetrievedLearning { kind, learning_id: id }],
                ..body.clone()
            },
            body,
        ];
        let mut variants: Vec<_> = bodies
            .into_iter()
            .map(|body| publication(vec![NewInteraction { created_at: None, body }]))
            .collect();
        let at_zero = NewInteraction { created_at: Some(EventTime::new(0).unwrap()), ..turn("a", "") };
        variants.push(publication(vec![at_zero]));

        assert_all_differ(&variants);
    }

    fn assert_all_differ(variants: &[Publication]) {
        for (place, one) in variants.iter().enumerate() {
            for other in &variants[place + 1..] {
                assert_ne!(BodyDigest::of(one), BodyDigest::of(other), "{one:?}\n{other:?}");
            }
        }
    }
}
