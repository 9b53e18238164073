//! What becomes of every table and column when a user is erased. Plan, deletes, empty check, preview and export all
//! follow from the one declaration; a column that nobody declared fails a test against the live schema.

mod declared;

pub use declared::{DERIVED, TABLES};

/// A list of the export bundle, and a key of the counts of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// What was learned about the user.
    Profiles,
    /// What was learned from the user.
    UserPlaybooks,
    /// What was published.
    Requests,
    /// The conversations.
    Sessions,
    /// The turns.
    Interactions,
    /// How sessions were judged.
    AgentSuccessEvaluationResults,
    /// How retrieved learnings were judged.
    RetrievedLearningEvaluationResults,
    /// How shadow responses were judged.
    ShadowComparisonVerdicts,
    /// Scores that partners brought in.
    PartnerScores,
    /// Searches under an experiment.
    SearchExposures,
}

impl Target {
    /// All targets, in the order of the export bundle.
    pub const ALL: [Self; 10] = [
        Self::Profiles,
        Self::UserPlaybooks,
        Self::Requests,
        Self::Sessions,
        Self::Interactions,
        Self::AgentSuccessEvaluationResults,
        Self::RetrievedLearningEvaluationResults,
        Self::ShadowComparisonVerdicts,
        Self::PartnerScores,
        Self::SearchExposures,
    ];

    /// The target's name in bundles and counts.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Profiles => "profiles",
            Self::UserPlaybooks => "user_playbooks",
            Self::Requests => "requests",
            Self::Sessions => "sessions",
            Self::Interactions => "interactions",
            Self::AgentSuccessEvaluationResults => "agent_success_evaluation_results",
            Self::RetrievedLearningEvaluationResults => "retrieved_learning_evaluation_results",
            Self::ShadowComparisonVerdicts => "shadow_comparison_verdicts",
            Self::PartnerScores => "partner_scores",
            Self::SearchExposures => "search_exposures",
        }
    }

    /// Reads a target back.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.as_str() == text)
    }
}

/// How a column's values read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text.
    Text,
    /// A whole number; times are whole seconds.
    Integer,
    /// A floating-point number.
    Real,
    /// True or false.
    Boolean,
    /// A JSON document kept as text.
    Json,
}

/// What becomes of a column's values when the user they belong to is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Goes with its row.
    Delete,
    /// Goes with its row, which links an organization's artifact to the user.
    Unlink,
    /// Becomes null; the row stays.
    Blank,
    /// Stays, for this reason.
    Keep(&'static str),
}

/// A declared column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name in the schema.
    pub name: &'static str,
    /// How its values read.
    pub form: Form,
    /// What becomes of them.
    pub treatment: Treatment,
}

/// How the rows of a user are found, always within the organization.
///
/// There is no way through another table: once the other table is empty, the final check would be blind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A column holds the user's id.
    Column(&'static str),
    /// The rows belong to no user.
    Nobody,
}

/// What becomes of a table's rows when a user is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user's rows are deleted, counted under the target, and shown by the export.
    Listed(Target),
    /// The user's rows are deleted; they only repeat or point to what the target shows, so nobody counts or lists them.
    Attached(Target),
    /// Rows that tie an agent playbook to the user's playbooks are deleted; the agent playbook stays as it is.
    Link {
        /// The column that names the agent playbook.
        agent_playbook: &'static str,
    },
    /// The user's rows stay, without what names the user.
    Blanked,
    /// Nothing changes.
    Kept,
}

/// A declared table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Its name in the schema.
    pub name: &'static str,
    /// The columns that identify a row. Behind the organization and the user, an index keeps a user's rows in their order.
    pub key: &'static [&'static str],
    /// How a user's rows are found.
    pub owner: Owner,
    /// What becomes of them.
    pub role: Role,
    /// Every column.
    pub columns: &'static [Column],
}

/// What a database derives from a table's rows, changes with them and drops with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derived {
    /// A table of the schema, or `table.column`.
    pub name: &'static str,
    /// The declared table whose rows it follows.
    pub from: &'static str,
}

impl Table {
    /// Whether rows of this table can belong to a user; these are the tables the final check must find empty.
    #[must_use]
    pub const fn holds_user_rows(&self) -> bool {
        !matches!(self.role, Role::Kept)
    }

    /// The target whose count and list this table's rows make up, if any.
    #[must_use]
    pub const fn listed_as(&self) -> Option<Target> {
        match self.role {
            Role::Listed(target) => Some(target),
            Role::Attached(_) | Role::Link { .. } | Role::Blanked | Role::Kept => None,
        }
    }
}

/// The tables an erasure works through, in order: whatever points to a row goes before the row.
pub fn plan() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(|table| table.holds_user_rows())
}

/// The table whose rows make up a target's list.
#[must_use]
pub fn listed(target: Target) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.listed_as() == Some(target))
}

#[cfg(test)]
mod tests;
