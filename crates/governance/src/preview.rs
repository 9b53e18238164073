//! What an erasure would remove, without removing it.

use std::sync::Arc;

use kernel::{OrgId, StoreError, UserId};

use crate::coverage::{Role, plan};
use crate::{AgentPlaybookId, Counts, GovernanceError, KeyRing, SubjectReader, SubjectRef, SubjectSnapshot};

/// What an erasure would remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The user, minimized.
    pub subject_ref: SubjectRef,
    /// Rows of every target.
    pub counts: Counts,
    /// Agent playbooks that would lose a source, ascending.
    pub agent_playbooks: Vec<AgentPlaybookId>,
}

/// Previews erasures: reads only, and leaves no audit row.
#[derive(Clone)]
pub struct PreviewErase {
    reader: Arc<dyn SubjectReader>,
    ring: Arc<KeyRing>,
}

impl PreviewErase {
    /// Previews from this reader.
    #[must_use]
    pub fn new(reader: Arc<dyn SubjectReader>, ring: Arc<KeyRing>) -> Self {
        Self { reader, ring }
    }

    /// What erasing the user would remove now.
    ///
    /// # Errors
    /// When the store failed.
    pub fn preview(&self, org: &OrgId, user: &UserId) -> Result<Preview, GovernanceError> {
        let subject_ref = self.ring.subject_ref(org, user);
        let mut seen = Err(StoreError::Failed("the store never looked".to_owned()));
        self.reader.look(org, &mut |snapshot| seen = footprint(snapshot, user))?;
        let (counts, agent_playbooks) = seen?;
        Ok(Preview { subject_ref, counts, agent_playbooks })
    }
}

fn footprint(
    snapshot: &mut dyn SubjectSnapshot,
    user: &UserId,
) -> Result<(Counts, Vec<AgentPlaybookId>), StoreError> {
    let mut counts = Counts::zero();
    let mut agent_playbooks = Vec::new();
    for table in plan() {
        match table.role {
            Role::Listed(target) => counts.add(target, snapshot.count(user, table)?),
            Role::Link { .. } => agent_playbooks.extend(snapshot.linked(user, table)?),
            Role::Attached(_) | Role::Blanked | Role::Kept => {}
        }
    }
    agent_playbooks.sort_unstable();
    agent_playbooks.dedup();
    Ok((counts, agent_playbooks))
}

#[cfg(test)]
mod tests;
