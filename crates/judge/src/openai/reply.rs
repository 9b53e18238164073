//! What a chat-completions endpoint sends back.

use evaluation::judging::{Effort, JudgeFailure};
use serde::Deserialize;

/// A reply of the endpoint.
#[derive(Debug)]
pub(super) struct Reply {
    /// The model that says it answered.
    pub(super) model: String,
    /// What it cost, without the time.
    pub(super) effort: Effort,
    message: Message,
    finish_reason: String,
}

#[derive(Debug, Deserialize)]
struct Completion {
    model: Option<String>,
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl Reply {
    /// Reads a body.
    pub(super) fn read(body: &[u8]) -> Result<Self, JudgeFailure> {
        let completion: Completion = serde_json::from_slice(body)
            .map_err(|_| JudgeFailure::Malformed("the endpoint sent no chat completion"))?;
        let choice = completion.choices.into_iter().next();
        let choice = choice.ok_or(JudgeFailure::Malformed("the endpoint sent no choice"))?;
        let usage = completion.usage.unwrap_or_default();
        Ok(Self {
            // A name of a model is kept beside results: it has to stay a name.
            model: completion
                .model
                .unwrap_or_default()
                .chars()
                .filter(|c| !c.is_control())
                .take(255)
                .collect(),
            effort: Effort {
                input_tokens: usage.prompt_tokens,
                output_tokens: usage.completion_tokens,
                latency_ms: 0,
            },
            message: choice.message,
            finish_reason: choice.finish_reason.unwrap_or_default(),
        })
    }

    /// What was answered.
    pub(super) fn content(&self) -> Result<&str, JudgeFailure> {
        if self.message.refusal.as_ref().is_some_and(|words| !words.is_empty())
            || self.finish_reason == "content_filter"
        {
            return Err(JudgeFailure::Refused);
        }
        if self.finish_reason == "length" {
            return Err(JudgeFailure::Cut);
        }
        Ok(self.said())
    }

    /// The words alone.
    pub(super) fn said(&self) -> &str {
        self.message.content.as_deref().unwrap_or_default()
    }
}
