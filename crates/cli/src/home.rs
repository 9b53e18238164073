//! The folder beside the data, and the secret kept there when nobody gave one.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use governance::KeyRing;
use organization::Randomness as _;
use storage::DatabaseUrl;

use crate::randomness::OperatingSystem;
use crate::settings::{Settings, SettingsError};

const SECRET_FILE: &str = "reference-secret";
const REF_SECRETS: &str = "TOUCHSTONE_REF_SECRETS";

/// Makes the folder of an embedded database.
pub(crate) fn prepare(settings: &Settings) -> anyhow::Result<()> {
    if let DatabaseUrl::Sqlite(_) = settings.database {
        let home = settings.home();
        fs::create_dir_all(&home).with_context(|| {
            format!(
                "cannot make the folder {}; choose another with --database-url sqlite://PATH",
                home.display()
            )
        })?;
    }
    Ok(())
}

/// Where the secrets of a server come from.
pub(crate) enum Secrets {
    /// They were given.
    Given(Arc<KeyRing>),
    /// One was made earlier and is kept here.
    Kept(Arc<KeyRing>, PathBuf),
    /// One will be made and kept here.
    ToBeMade(PathBuf),
}

/// Finds the secrets for a server on this address, and makes none.
pub(crate) fn find_secrets(settings: &Settings, listens_on: IpAddr) -> anyhow::Result<Secrets> {
    if !settings.ref_secrets.is_empty() {
        return Ok(Secrets::Given(ring_of(&settings.ref_secrets)?));
    }
    if !listens_on.is_loopback() {
        let cure = "must be set on an address that others can reach: at least 32 random characters, for example from \
                    `openssl rand -hex 32`";
        return Err(SettingsError::new(REF_SECRETS, cure).into());
    }
    let path = settings.home().join(SECRET_FILE);
    match fs::read_to_string(&path) {
        Ok(kept) => Ok(Secrets::Kept(ring_of(&[kept.trim()])?, path)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Secrets::ToBeMade(path)),
        Err(error) => Err(error).with_context(|| cannot_keep(&path)),
    }
}

/// The secrets in force; on a loopback address one is made and kept if none was given.
pub(crate) fn key_ring(settings: &Settings, listens_on: IpAddr) -> anyhow::Result<Arc<KeyRing>> {
    match find_secrets(settings, listens_on)? {
        Secrets::Given(ring) | Secrets::Kept(ring, _) => Ok(ring),
        Secrets::ToBeMade(path) => Ok(ring_of(&[made_secret(&settings.home(), &path)?])?),
    }
}

fn ring_of<S: AsRef<str>>(secrets: &[S]) -> Result<Arc<KeyRing>, SettingsError> {
    KeyRing::new(secrets)
        .map(Arc::new)
        .map_err(|error| SettingsError::new(REF_SECRETS, format!("cannot be used: {error}")))
}

/// Makes a secret that only its owner can read, unless somebody was quicker.
fn made_secret(home: &Path, path: &Path) -> anyhow::Result<String> {
    let told = || cannot_keep(path);
    fs::create_dir_all(home).with_context(told)?;
    let secret = hex::encode(OperatingSystem.bits());
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => {
            file.write_all(secret.as_bytes()).and_then(|()| file.sync_all()).with_context(told)?;
            Ok(secret)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Ok(fs::read_to_string(path).with_context(told)?.trim().to_owned())
        }
        Err(error) => Err(error).with_context(told),
    }
}

fn cannot_keep(path: &Path) -> String {
    format!("cannot keep a secret in {}; set {REF_SECRETS} instead", path.display())
}
