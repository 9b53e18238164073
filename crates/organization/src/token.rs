//! Bearer tokens: a readable prefix, the organization, and 256 random bits.

use std::fmt;

use kernel::{CredentialKind, OrgId};
use sha2::{Digest, Sha256};

/// A bearer as its owner holds it. It is shown once and never stored, logged or printed by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    kind: CredentialKind,
    org: OrgId,
    secret: String,
}

/// What is kept of a token: its SHA-256, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenDigest(String);

impl Token {
    /// A token of this kind for this organization, from 256 random bits.
    #[must_use]
    pub fn from_random(kind: CredentialKind, org: OrgId, bits: [u8; 32]) -> Self {
        Self { kind, org, secret: hex::encode(bits) }
    }

    /// Reads a token from what a caller sent; `None` for anything that cannot be one of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '_');
        let kind = kind_of(parts.next()?)?;
        let org = OrgId::new(parts.next()?).ok()?;
        let secret = parts.next()?;
        let is_hex = secret.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        (secret.len() == 64 && is_hex).then(|| Self { kind, org, secret: secret.to_owned() })
    }

    /// The organization that the token says it opens.
    #[must_use]
    pub const fn org(&self) -> &OrgId {
        &self.org
    }

    /// The whole token, to be shown to its owner once.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{}_{}_{}", prefix_of(self.kind), self.org, self.secret)
    }

    /// What may be kept of the token.
    #[must_use]
    pub fn digest(&self) -> TokenDigest {
        TokenDigest(hex::encode(Sha256::digest(self.reveal().as_bytes())))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Token({}_{}_…)", prefix_of(self.kind), self.org)
    }
}

impl TokenDigest {
    /// A digest as it was stored.
    #[must_use]
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// The digest as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const fn prefix_of(kind: CredentialKind) -> &'static str {
    match kind {
        CredentialKind::Production => "tsp",
        CredentialKind::Dashboard => "tsd",
        CredentialKind::Session => "tss",
    }
}

fn kind_of(prefix: &str) -> Option<CredentialKind> {
    match prefix {
        "tsp" => Some(CredentialKind::Production),
        "tsd" => Some(CredentialKind::Dashboard),
        "tss" => Some(CredentialKind::Session),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> Token {
        Token::from_random(CredentialKind::Dashboard, OrgId::new("acme-7").unwrap(), [0xab; 32])
    }

    #[test]
    fn a_revealed_token_reads_back_as_itself() {
        assert_eq!(Token::parse(&token().reveal()), Some(token()));
    }

    #[test]
    fn a_token_tells_its_kind_and_organization_to_the_eye() {
        assert!(token().reveal().starts_with("tsd_acme-7_abab"));
    }

    #[test]
    fn what_cannot_be_a_token_is_not_parsed() {
        let good = token().reveal();
        let upper = good.replace("ab", "AB");
        for text in
            ["", "tsd", "tsd_acme", "xyz_acme_ab", "tsd_ACME_ab", &good[..good.len() - 1], &upper, "tsd__"]
        {
            assert_eq!(Token::parse(text), None, "{text}");
        }
    }

    #[test]
    fn printing_a_token_for_debugging_hides_its_secret() {
        assert_eq!(format!("{:?}", token()), "Token(tsd_acme-7_…)");
    }

    #[test]
    fn the_digest_covers_kind_and_organization_too() {
        let other_org =
            Token::from_random(CredentialKind::Dashboard, OrgId::new("other").unwrap(), [0xab; 32]);
        let other_kind =
            Token::from_random(CredentialKind::Production, OrgId::new("acme-7").unwrap(), [0xab; 32]);

        assert_ne!(token().digest(), other_org.digest());
        assert_ne!(token().digest(), other_kind.digest());
        assert_eq!(token().digest().as_str().len(), 64);
    }
}
