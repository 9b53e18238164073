//! Judges: any chat-completions endpoint, and rules of thumb that need none.

pub mod coin;
mod fenced;
pub mod heuristic;
pub mod limiter;
pub mod openai;
pub mod prompts;
mod schema;
pub mod select;

pub use coin::OperatingSystemCoin;
pub use heuristic::Heuristic;
pub use limiter::Limiter;
pub use openai::{Endpoint, OpenAi, Pace};
pub use prompts::{CURRENT, Prompt, Prompts, Question};
pub use select::{ApiKey, JudgeEnvironment, SelectJudge};
