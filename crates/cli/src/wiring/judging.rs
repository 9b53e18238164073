//! Wiring of judging.

use std::sync::Arc;

use evaluation::judging::{
    CancelRegeneration, EvaluateSession, GradeOnDemand, Holder, JobIds, JudgeShadowTurn, Judges,
    JudgingSettings, ListRegenerations, PreviewRegeneration, ReadJudgingStatus, ReadRegeneration,
    RetryPolicy, RunRegeneration, SessionJudge, SettleRegenerations, StartRegeneration,
};
use judge::OperatingSystemCoin;
use kernel::Clock;
use web::JudgingRoom;

use super::House;
use crate::due_work::{DueWork, Scope, Trades};
use crate::ids::RandomIds;

impl House {
    fn judges(&self) -> Arc<dyn Judges> {
        let judges: Arc<dyn Judges> = self.judges.clone();
        judges
    }

    fn judging_settings(&self) -> Arc<dyn JudgingSettings> {
        self.settings()
    }

    fn session_judge(&self) -> SessionJudge {
        self.session_judge_by(self.judges(), self.clock())
    }

    fn session_judge_by(&self, judges: Arc<dyn Judges>, clock: Arc<dyn Clock>) -> SessionJudge {
        let settings = self.judging_settings();
        SessionJudge::new(self.store(), self.store(), self.store(), judges, settings, clock)
    }

    fn judging_holder(&self) -> Holder {
        Holder(self.process_name.clone())
    }

    /// Starts replays.
    #[must_use]
    pub fn start_regeneration(&self) -> StartRegeneration {
        self.start_regeneration_as(Arc::new(RandomIds))
    }

    /// Starts replays under these ids.
    pub(crate) fn start_regeneration_as(&self, ids: Arc<dyn JobIds>) -> StartRegeneration {
        StartRegeneration::new(self.store(), self.store(), self.judging_settings(), ids, self.clock())
    }

    /// Reads replays.
    #[must_use]
    pub fn read_regeneration(&self) -> ReadRegeneration {
        ReadRegeneration::new(self.store())
    }

    /// Carries out work with these judges, by this clock and with this patience.
    pub(crate) fn trades(
        &self,
        judges: Arc<dyn Judges>,
        clock: Arc<dyn Clock>,
        retries: RetryPolicy,
    ) -> Trades {
        let judge = self.session_judge_by(judges, clock);
        Trades {
            evaluate: EvaluateSession::new(judge.clone(), retries),
            replay: RunRegeneration::new(judge.clone(), retries),
            compare: JudgeShadowTurn::new(judge, Arc::new(OperatingSystemCoin), retries),
        }
    }

    /// Takes due work of this scope.
    pub(crate) fn due_work(&self, scope: Scope) -> DueWork {
        let trades = self.trades(self.judges(), self.clock(), RetryPolicy::default());
        let settle = SettleRegenerations::new(self.store(), self.store(), self.clock());
        DueWork::new(self.store(), trades, settle, self.judging_settings(), self.judging_holder(), scope)
    }

    pub(super) fn judging_room(&self) -> JudgingRoom {
        JudgingRoom {
            start: self.start_regeneration(),
            preview: PreviewRegeneration::new(
                self.store(),
                self.store(),
                self.judging_settings(),
                Arc::new(RandomIds),
            ),
            read: self.read_regeneration(),
            list: ListRegenerations::new(self.store()),
            cancel: CancelRegeneration::new(self.store(), self.store(), self.clock()),
            grade: GradeOnDemand::new(self.session_judge(), self.store(), self.judging_holder()),
            status: ReadJudgingStatus::new(self.store(), self.judges(), self.clock()),
        }
    }
}
