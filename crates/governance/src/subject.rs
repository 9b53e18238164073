//! Minimized references: what governance keeps in place of a user's id and of a ticket's id.
//!
//! A reference says nothing about the id it stands for to anyone without the secret, and no two (organization, id)
//! pairs share one, whatever characters the ids hold.

use std::fmt;

use hmac::{Hmac, Mac};
use kernel::{OrgId, RequestId, UserId};
use sha2::{Digest, Sha256};

/// The fewest characters a secret may have.
pub const SHORTEST_SECRET: usize = 32;

/// The hexadecimal digits of a reference: 128 bits.
const DIGITS: usize = 32;

/// Why secrets do not make a key ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKeyRing {
    /// No secret was given.
    #[error("a key ring needs at least one secret")]
    Empty,
    /// A secret is too short to protect anything.
    #[error("secret number {position} (newest first) has fewer than {SHORTEST_SECRET} characters")]
    TooShort {
        /// Which secret, counted from 1.
        position: usize,
    },
}

/// A text that is not a reference of the kind it was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a well-formed reference")]
pub struct MalformedReference;

macro_rules! reference {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// What every reference of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// Reads a reference back: the prefix and 32 lower-case hexadecimal digits, nothing else.
            ///
            /// # Errors
            /// When the text is anything else.
            pub fn parse(text: &str) -> Result<Self, MalformedReference> {
                let digits = text.strip_prefix(Self::PREFIX).ok_or(MalformedReference)?;
                let lower_hex = digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
                if digits.len() == DIGITS && lower_hex {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(MalformedReference)
                }
            }

            /// The reference as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The reference made of the first 128 bits of a digest.
            fn of_digest(digest: &[u8]) -> Self {
                let digits: String = hex::encode(digest).chars().take(DIGITS).collect();
                Self(format!("{}{digits}", Self::PREFIX))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

reference!(/// Stands for a user of an organization.
    SubjectRef, "subref_v1_");
reference!(/// Stands for the ticket (request id) that asked for an operation.
    RequestRef, "reqref_v1_");
reference!(/// Names one purge operation: one ticket's erasure of one user.
    PurgeId, "purge_");
reference!(/// Tells one secret from another without telling anything about it.
    KeyCheck, "refkey_v1_");
reference!(/// Names one export: one ticket's copy of one user's data.
    ExportId, "export_");

/// One ticket about one user, as references made with the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TicketRefs {
    /// The user the ticket is about.
    pub subject: SubjectRef,
    /// The ticket.
    pub request: RequestRef,
}

impl TicketRefs {
    /// The purge operation this ticket asks for.
    #[must_use]
    pub fn purge_id(&self, org: &OrgId) -> PurgeId {
        PurgeId::of_digest(&self.digest("purge", org))
    }

    /// The export this ticket asks for.
    #[must_use]
    pub fn export_id(&self, org: &OrgId) -> ExportId {
        ExportId::of_digest(&self.digest("export", org))
    }

    /// No key is needed here: the references it is made of are opaque already.
    fn digest(&self, tag: &str, org: &OrgId) -> Vec<u8> {
        let text = encode(&[tag, org.as_str(), self.subject.as_str(), self.request.as_str()]);
        Sha256::digest(text.as_bytes()).to_vec()
    }
}

/// The secrets that references are made with, newest first.
///
/// New references use the newest secret; whoever looks a reference up tries all, so that rotating a secret neither lets
/// an erased user write again nor changes the answer to a repeat. A secret may leave the ring only when nothing that was
/// erased under it needs to stay refused.
#[derive(Clone)]
pub struct KeyRing {
    newest: Hmac<Sha256>,
    older: Vec<Hmac<Sha256>>,
}

impl KeyRing {
    /// A ring of these secrets, newest first.
    ///
    /// # Errors
    /// When there is none, or one has fewer than [`SHORTEST_SECRET`] characters.
    pub fn new<S: AsRef<str>>(secrets: &[S]) -> Result<Self, InvalidKeyRing> {
        let mut keys = secrets.iter().zip(1..).map(|(secret, position)| key(secret.as_ref(), position));
        let newest = keys.next().ok_or(InvalidKeyRing::Empty)??;
        Ok(Self { newest, older: keys.collect::<Result<_, _>>()? })
    }

    /// The reference new rows use for this user.
    #[must_use]
    pub fn subject_ref(&self, org: &OrgId, user: &UserId) -> SubjectRef {
        subject_ref(&self.newest, org, user)
    }

    /// Every reference older rows may use for this user, newest first.
    #[must_use]
    pub fn all_subject_refs(&self, org: &OrgId, user: &UserId) -> Vec<SubjectRef> {
        self.keys().map(|key| subject_ref(key, org, user)).collect()
    }

    /// The reference new rows use for this ticket.
    #[must_use]
    pub fn request_ref(&self, org: &OrgId, request: &RequestId) -> RequestRef {
        request_ref(&self.newest, org, request)
    }

    /// Every reference older rows may use for this ticket, newest first.
    #[must_use]
    pub fn all_request_refs(&self, org: &OrgId, request: &RequestId) -> Vec<RequestRef> {
        self.keys().map(|key| request_ref(key, org, request)).collect()
    }

    /// The references of one ticket about one user under every key, newest first; each pair is of one key.
    #[must_use]
    pub fn all_ticket_refs(&self, org: &OrgId, user: &UserId, request: &RequestId) -> Vec<TicketRefs> {
        self.keys()
            .map(|key| TicketRefs {
                subject: subject_ref(key, org, user),
                request: request_ref(key, org, request),
            })
            .collect()
    }

    /// The references that new rows use for one ticket about one user.
    #[must_use]
    pub fn ticket_refs(&self, org: &OrgId, user: &UserId, request: &RequestId) -> TicketRefs {
        TicketRefs { subject: self.subject_ref(org, user), request: self.request_ref(org, request) }
    }

    /// What tells the ring's secrets from others, newest first.
    #[must_use]
    pub fn checks(&self) -> Vec<KeyCheck> {
        self.keys().map(|key| KeyCheck::of_digest(&keyed(key, &["key-check"]))).collect()
    }

    fn keys(&self) -> impl Iterator<Item = &Hmac<Sha256>> {
        std::iter::once(&self.newest).chain(&self.older)
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "KeyRing({} secrets)", 1 + self.older.len())
    }
}

fn key(secret: &str, position: usize) -> Result<Hmac<Sha256>, InvalidKeyRing> {
    if secret.chars().count() < SHORTEST_SECRET {
        return Err(InvalidKeyRing::TooShort { position });
    }
    // HMAC takes keys of any length, so the remaining error never happens.
    Hmac::new_from_slice(secret.as_bytes()).map_err(|_| InvalidKeyRing::TooShort { position })
}

fn subject_ref(key: &Hmac<Sha256>, org: &OrgId, user: &UserId) -> SubjectRef {
    SubjectRef::of_digest(&keyed(key, &["subject", org.as_str(), user.as_str()]))
}

fn request_ref(key: &Hmac<Sha256>, org: &OrgId, request: &RequestId) -> RequestRef {
    RequestRef::of_digest(&keyed(key, &["request", org.as_str(), request.as_str()]))
}

fn keyed(key: &Hmac<Sha256>, parts: &[&str]) -> Vec<u8> {
    let mut mac = key.clone();
    mac.update(encode(parts).as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// Joins parts so that no two lists of parts give the same text: each is preceded by its length in bytes.
fn encode(parts: &[&str]) -> String {
    let mut text = String::new();
    for part in parts {
        text.push_str(&part.len().to_string());
        text.push(':');
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests;
