//! Wiring of forgetting a user.

use governance::{
    AgreeOnKeys, Disagreement, EraseUser, ExportUser, Holder, PreviewErase, ResumePurges, ShowPurge,
};
use web::GovernanceRoom;

use super::House;
use crate::settings::SettingsError;

impl House {
    /// Refuses to work with secrets under which erasures of this database would go unseen.
    pub(crate) fn agree_on_keys(&self) -> anyhow::Result<()> {
        match AgreeOnKeys::new(self.store(), self.ring()).agree() {
            Ok(()) => Ok(()),
            Err(Disagreement::Store(error)) => Err(error.into()),
            Err(missing @ Disagreement::SecretMissing) => {
                Err(SettingsError::new("TOUCHSTONE_REF_SECRETS", missing.to_string()).into())
            }
        }
    }

    /// Erases users.
    #[must_use]
    pub fn erase_user(&self) -> EraseUser {
        EraseUser::new(self.store(), self.store(), self.ring(), self.clock(), self.holder())
    }

    /// Goes on with erasures that nobody works on.
    #[must_use]
    pub fn resume_purges(&self) -> ResumePurges {
        ResumePurges::new(self.store(), self.store(), self.ring(), self.clock(), self.holder())
    }

    /// Exports users.
    #[must_use]
    pub fn export_user(&self) -> ExportUser {
        ExportUser::new(self.store(), self.store(), self.ring(), self.clock())
    }

    /// Shows how an erasure stands.
    #[must_use]
    pub fn show_purge(&self) -> ShowPurge {
        ShowPurge::new(self.store())
    }

    /// Counts what an erasure would take.
    #[must_use]
    pub fn preview_erase(&self) -> PreviewErase {
        PreviewErase::new(self.store(), self.ring())
    }

    /// The name of this process on the leases it takes.
    fn holder(&self) -> Holder {
        Holder(self.process_name.clone())
    }

    pub(super) fn governance_room(&self) -> GovernanceRoom {
        GovernanceRoom {
            export: self.export_user(),
            erase: self.erase_user(),
            preview: self.preview_erase(),
            show: self.show_purge(),
            clock: self.clock(),
        }
    }
}
