//! Organizations, the credentials that open them, and their configuration.

pub mod authenticate;
pub mod configuration;
pub mod configure;
pub mod credential;
pub mod error;
pub mod found;
pub mod mint;
pub mod ports;
pub mod sign_in;
pub mod token;

pub use authenticate::Authenticate;
pub use configuration::{Configuration, InvalidSetting, JudgeProvider, JudgeSettings, Profile};
pub use configure::{ReadConfiguration, WriteConfiguration};
pub use credential::{Credential, CredentialId};
pub use error::OrganizationError;
pub use found::FoundOrganization;
pub use mint::{ListCredentials, MintCredential, MintRequest, Minted, RevokeCredential};
pub use ports::{CredentialReader, OrganizationReader, OrganizationTx, PromptCatalogue, Randomness};
pub use sign_in::{SignIn, SignOut};
pub use token::{Token, TokenDigest};
