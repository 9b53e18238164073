//! JSON shapes of the interface, shared by the web and the command line, and their way to and from the domain.

pub mod configuration;
pub mod credential;
pub mod experiments;
pub mod fields;
pub mod problem;

pub use fields::{FieldError, Fields, Invalid};
