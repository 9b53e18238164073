//! Settings from the environment, each checked and each refused with the cure.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use judge::{ApiKey, JudgeEnvironment};
use storage::DatabaseUrl;

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{name} {problem}")]
pub struct SettingsError {
    /// The setting.
    pub name: String,
    /// What is wrong and how to mend it.
    pub problem: String,
}

impl SettingsError {
    pub(crate) fn new(name: &str, problem: impl Into<String>) -> Self {
        Self { name: name.to_owned(), problem: problem.into() }
    }
}

/// What is in force.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the data is.
    pub database: DatabaseUrl,
    /// How many connections are kept.
    pub pool_size: u32,
    /// Requests per second and credential.
    pub rate_limit_per_second: Option<NonZeroU32>,
    /// Secrets that turn users into references, newest first; empty when none are set.
    pub ref_secrets: Vec<String>,
    /// The judge of organizations that name none.
    pub judge: JudgeEnvironment,
    /// Whether the session cookie is sent over TLS only; `None` decides by the listener.
    pub secure_cookie: Option<bool>,
    /// How many threads answer requests.
    pub workers: usize,
}

/// The database when nothing else is said.
pub(crate) const DEFAULT_DATABASE: &str = "sqlite://data/touchstone.db";

impl Settings {
    /// Reads the environment; an address typed on the command line goes before it.
    pub fn read(database_url: Option<&str>) -> Result<Self, SettingsError> {
        let database_url = match database_url {
            Some(url) => url.to_owned(),
            None => secret("TOUCHSTONE_DATABASE_URL")?
                .or(text("DATABASE_URL")?)
                .unwrap_or_else(|| DEFAULT_DATABASE.to_owned()),
        };
        let database = DatabaseUrl::parse(&database_url)
            .map_err(|error| SettingsError::new("the database URL", told(&error.to_string())))?;
        Ok(Self {
            database,
            pool_size: number("TOUCHSTONE_DATABASE_POOL_SIZE", 1, 1_000)?.unwrap_or(16),
            rate_limit_per_second: number("TOUCHSTONE_RATE_LIMIT_PER_SECOND", 0, 1_000_000)?
                .and_then(NonZeroU32::new),
            ref_secrets: secret("TOUCHSTONE_REF_SECRETS")?.map(|list| split(&list)).unwrap_or_default(),
            judge: JudgeEnvironment {
                base_url: text("TOUCHSTONE_JUDGE_BASE_URL")?,
                model: text("TOUCHSTONE_JUDGE_MODEL")?,
                api_key: secret("TOUCHSTONE_JUDGE_API_KEY")?.map(|key| ApiKey::new(&key)),
            },
            secure_cookie: switch("TOUCHSTONE_SECURE_COOKIE")?,
            workers: usize::try_from(number("TOUCHSTONE_WORKERS", 1, 1_024)?.unwrap_or_else(cores))
                .unwrap_or(1),
        })
    }

    /// Whether the session cookie is sent over TLS only by a server on this address.
    #[must_use]
    pub fn is_cookie_secure_on(&self, address: IpAddr) -> bool {
        self.secure_cookie.unwrap_or(!address.is_loopback())
    }

    /// The folder beside the data, where what must be kept is kept.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        match &self.database {
            DatabaseUrl::Sqlite(path) => match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
                _ => PathBuf::from("."),
            },
            DatabaseUrl::Postgres(_) => PathBuf::from("data"),
        }
    }
}

fn cores() -> u32 {
    std::thread::available_parallelism().ok().and_then(|cores| u32::try_from(cores.get()).ok()).unwrap_or(2)
}

fn told(problem: &str) -> String {
    format!("cannot be used: {problem}; set TOUCHSTONE_DATABASE_URL or --database-url")
}

fn split(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
}

/// A variable's text; one that is set but empty counts as absent.
fn text(name: &str) -> Result<Option<String>, SettingsError> {
    match std::env::var(name) {
        Ok(value) if value.trim().is_empty() => Ok(None),
        Ok(value) => Ok(Some(value.trim().to_owned())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(SettingsError::new(name, "is not readable as text")),
    }
}

/// A secret: the variable itself, or the file that `NAME_FILE` names.
fn secret(name: &str) -> Result<Option<String>, SettingsError> {
    let file_name = format!("{name}_FILE");
    match (text(name)?, text(&file_name)?) {
        (Some(_), Some(_)) => {
            Err(SettingsError::new(name, format!("and {file_name} are both set; keep one")))
        }
        (Some(value), None) => Ok(Some(value)),
        (None, None) => Ok(None),
        (None, Some(path)) => match std::fs::read_to_string(&path) {
            Ok(value) => Ok(Some(value.trim().to_owned())),
            Err(error) => {
                Err(SettingsError::new(&file_name, format!("names {path}, which cannot be read: {error}")))
            }
        },
    }
}

fn number(name: &str, least: u32, most: u32) -> Result<Option<u32>, SettingsError> {
    let Some(value) = text(name)? else { return Ok(None) };
    match value.parse::<u32>() {
        Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
        _ => Err(SettingsError::new(name, format!("must be a whole number from {least} to {most}"))),
    }
}

fn switch(name: &str) -> Result<Option<bool>, SettingsError> {
    match text(name)?.as_deref() {
        None => Ok(None),
        Some("true" | "1" | "yes") => Ok(Some(true)),
        Some("false" | "0" | "no") => Ok(Some(false)),
        Some(_) => Err(SettingsError::new(name, "must be true or false")),
    }
}
