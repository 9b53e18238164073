//! JSON shapes of the interface, shared by the web and the command line, and their way to and from the domain.

#![expect(
    clippy::option_option,
    reason = "of a field that may be absent: the outer none says that it is wrong, the inner that it is absent"
)]

pub mod configuration;
pub mod credential;
pub mod evaluation;
pub mod experiments;
pub mod fields;
pub mod governance;
pub mod learning;
pub mod problem;
pub mod system;
pub mod time;

pub use fields::{FieldError, Fields, Invalid, without_values};
