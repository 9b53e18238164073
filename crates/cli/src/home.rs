//! The folder beside the data, and the secret kept there when nobody gave one.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use governance::KeyRing;
use organization::Randomness as _;
use storage::DatabaseUrl;

use crate::randomness::OperatingSystem;
use crate::settings::{Settings, SettingsError};

const SECRET_FILE: &str = "reference-secret";

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

/// The secrets in force; on a loopback address one is made and kept if none was given.
pub(crate) fn key_ring(settings: &Settings, listens_on: IpAddr) -> anyhow::Result<Arc<KeyRing>> {
    let mut secrets = settings.ref_secrets.clone();
    if secrets.is_empty() {
        if !listens_on.is_loopback() {
            return Err(SettingsError::new(
                "TOUCHSTONE_REF_SECRETS",
                "must be set on an address that others can reach: at least 32 random characters, for example from \
                 `openssl rand -hex 32`",
            )
            .into());
        }
        secrets = vec![kept_secret(&settings.home())?];
    }
    let ring = KeyRing::new(&secrets)
        .map_err(|error| SettingsError::new("TOUCHSTONE_REF_SECRETS", format!("cannot be used: {error}")))?;
    Ok(Arc::new(ring))
}

/// Reads the kept secret, or makes one that only its owner can read.
fn kept_secret(home: &Path) -> anyhow::Result<String> {
    let path = home.join(SECRET_FILE);
    let told = || format!("cannot keep a secret in {}; set TOUCHSTONE_REF_SECRETS instead", path.display());
    fs::create_dir_all(home).with_context(told)?;
    let secret = hex::encode(OperatingSystem.bits());
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Ok(mut file) => {
            file.write_all(secret.as_bytes()).and_then(|()| file.sync_all()).with_context(told)?;
            Ok(secret)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Ok(fs::read_to_string(&path).with_context(told)?.trim().to_owned())
        }
        Err(error) => Err(error).with_context(told),
    }
}
