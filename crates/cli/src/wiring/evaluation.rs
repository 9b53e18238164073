//! Wiring of how well the agent does.

use evaluation::{
    ImportResults, ListLearningVerdicts, ListRecentShadow, ListResults, ReadOverview, StreamResults,
    TakePartnerScores,
};
use web::EvaluationRoom;

use super::House;

impl House {
    /// Reads the overview.
    #[must_use]
    pub fn read_overview(&self) -> ReadOverview {
        ReadOverview::new(self.store(), self.settings(), self.clock())
    }

    /// Brings judged results in.
    #[must_use]
    pub fn import_results(&self) -> ImportResults {
        ImportResults::new(self.store(), self.clock())
    }

    /// Brings partner scores in.
    #[must_use]
    pub fn take_partner_scores(&self) -> TakePartnerScores {
        TakePartnerScores::new(self.store())
    }

    pub(super) fn evaluation_room(&self) -> EvaluationRoom {
        EvaluationRoom {
            list_results: ListResults::new(self.store()),
            stream_results: StreamResults::new(self.store()),
            list_learning_verdicts: ListLearningVerdicts::new(self.store()),
            list_recent_shadow: ListRecentShadow::new(self.store(), self.settings(), self.clock()),
            read_overview: self.read_overview(),
            import_results: self.import_results(),
            take_partner_scores: self.take_partner_scores(),
        }
    }
}
