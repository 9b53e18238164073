//! What the tests of this room's rules share: a user, a ticket, and a store that writes down what it was asked.

pub(crate) mod snapshot;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use kernel::{
    Barrier, MockClock, OrgId, RequestId, StoreError, Timestamp, UnitOfWork, UserId, Verdict, Work,
};

use crate::ports::{MockGovernanceTx, MockOnlooker};
use crate::{
    Actor, AgentPlaybookId, GovernanceTx, Holder, KeyRing, Ledger, Purge, RaisedBarrier, Table, Target,
    Ticket, TicketRefs,
};

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

pub(crate) fn org() -> OrgId {
    OrgId::new("acme").unwrap()
}

pub(crate) fn ada() -> UserId {
    UserId::new("ada").unwrap()
}

pub(crate) fn ring() -> KeyRing {
    KeyRing::new(&["0123456789abcdef0123456789abcdef"]).unwrap()
}

pub(crate) fn holder() -> Holder {
    Holder("this-process".to_owned())
}

pub(crate) fn asked(request: &str) -> Ticket {
    Ticket { user: ada(), request: RequestId::new(request).unwrap(), actor: Actor::operator() }
}

pub(crate) fn refs(request: &str) -> TicketRefs {
    ring().ticket_refs(&org(), &ada(), &RequestId::new(request).unwrap())
}

pub(crate) fn ticket() -> TicketRefs {
    refs("ticket-1")
}

/// The purge of `ticket-1`, opened at 10.
pub(crate) fn purge() -> Purge {
    purge_of("ticket-1")
}

pub(crate) fn purge_of(request: &str) -> Purge {
    Purge::opened(refs(request).purge_id(&org()), refs(request), Actor::operator(), at(10))
}

/// The barrier over Ada, owned by the purge of a ticket.
pub(crate) fn barrier(request: &str, state: Barrier) -> RaisedBarrier {
    RaisedBarrier { subject: refs(request).subject, state, owner: refs(request).purge_id(&org()) }
}

pub(crate) fn clock(seconds: i64) -> Arc<MockClock> {
    let mut clock = MockClock::new();
    clock.expect_now().return_const(at(seconds));
    Arc::new(clock)
}

/// An onlooker that never loses patience.
pub(crate) fn endless() -> MockOnlooker {
    let mut onlooker = MockOnlooker::new();
    onlooker.expect_advanced().return_const(());
    onlooker.expect_goes_on().return_const(ControlFlow::Continue(()));
    onlooker
}

/// A ledger in which every target was reached.
pub(crate) fn whole_ledger() -> Ledger {
    let recorded = Target::ALL.into_iter().map(|target| (target, 0)).collect();
    Ledger { recorded, ..Ledger::default() }
}

/// What a store was asked to change, in order, with the borders of transactions.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// The transactions, each as its lines; the last line says how it ended.
    pub(crate) fn transactions(&self) -> Vec<Vec<String>> {
        let lines = self.lines();
        lines.split(|line| line == "begin").skip(1).map(<[String]>::to_vec).collect()
    }
}

/// Runs each piece of work once on the mock, and writes the borders of transactions down.
pub(crate) struct Logged {
    mock: Mutex<MockGovernanceTx>,
    log: Log,
}

impl Logged {
    pub(crate) fn on(mock: MockGovernanceTx, log: &Log) -> Arc<dyn UnitOfWork<dyn GovernanceTx>> {
        Arc::new(Self { mock: Mutex::new(mock), log: log.clone() })
    }
}

impl UnitOfWork<dyn GovernanceTx> for Logged {
    fn run(&self, _org: &OrgId, work: &mut Work<'_, dyn GovernanceTx>) -> Result<(), StoreError> {
        self.log.note("begin");
        let verdict = work(&mut *self.mock.lock().unwrap());
        self.log.note(if verdict == Verdict::Commit { "commit" } else { "roll back" });
        Ok(())
    }
}

/// Rows that the mocks of [`rows_of`] give out until none are left.
#[derive(Clone, Default)]
pub(crate) struct Stock(Arc<Mutex<BTreeMap<&'static str, u64>>>);

impl Stock {
    pub(crate) fn of(tables: &[(&'static str, u64)]) -> Self {
        Self(Arc::new(Mutex::new(tables.iter().copied().collect())))
    }

    pub(crate) fn put(&self, table: &'static str, rows: u64) {
        *self.0.lock().unwrap().entry(table).or_default() += rows;
    }

    pub(crate) fn take(&self, table: &Table, limit: u64) -> u64 {
        let mut stock = self.0.lock().unwrap();
        let Some(rows) = stock.get_mut(table.name) else { return 0 };
        let taken = limit.min(*rows);
        *rows -= taken;
        taken
    }

    pub(crate) fn has_none(&self, table: &Table) -> bool {
        self.0.lock().unwrap().get(table.name).is_none_or(|rows| *rows == 0)
    }
}

/// Mocks of an erasure that `ticket-1` holds with fence 1, over these rows; every change is written down.
pub(crate) fn erasing(stock: &Stock, log: &Log) -> MockGovernanceTx {
    let mut tx = MockGovernanceTx::default();
    expect_rows(&mut tx, stock, log);
    let noted = log.clone();
    tx.ledgers.expect_add().returning(move |_, target, rows| {
        noted.note(format!("add {} {rows}", target.as_str()));
        Ok(())
    });
    let noted = log.clone();
    tx.ledgers.expect_add_unlinked().returning(move |_, playbooks| {
        noted.note(format!("add unlinked {playbooks:?}"));
        Ok(())
    });
    let noted = log.clone();
    tx.audit.expect_append().returning(move |entry| {
        noted.note(format!("audit {} {}", entry.operation.as_str(), entry.outcome.as_str()));
        Ok(())
    });
    tx
}

fn expect_rows(tx: &mut MockGovernanceTx, stock: &Stock, log: &Log) {
    let (rows, noted) = (stock.clone(), log.clone());
    tx.rows.expect_delete().returning(move |_, table, limit| {
        let taken = rows.take(table, limit);
        noted.note(format!("delete {} {taken}", table.name));
        Ok(taken)
    });
    let (rows, noted) = (stock.clone(), log.clone());
    tx.rows.expect_blank().returning(move |_, table, limit| {
        let taken = rows.take(table, limit);
        noted.note(format!("blank {} {taken}", table.name));
        Ok(taken)
    });
    let (rows, noted) = (stock.clone(), log.clone());
    tx.rows.expect_unlink().returning(move |_, table, limit| {
        let taken = rows.take(table, limit);
        noted.note(format!("unlink {} {taken}", table.name));
        Ok((0..taken).map(|n| AgentPlaybookId(i64::try_from(n).unwrap())).collect())
    });
    let rows = stock.clone();
    tx.rows.expect_is_empty().returning(move |_, table| Ok(rows.has_none(table)));
}

/// Lets the executor with fence 1 finish, and writes each step of the end down.
pub(crate) fn expect_end(tx: &mut MockGovernanceTx, log: &Log) {
    tx.purges.expect_find().returning(|id| Ok((*id == purge().id).then(|| purge().claimed(at(20)).unwrap())));
    tx.ledgers.expect_read().returning(|_| Ok(whole_ledger()));
    tx.barriers.expect_find().returning(|_| Ok(Some(barrier("ticket-1", Barrier::Erasing))));
    let noted = log.clone();
    tx.barriers.expect_mark_erased().returning(move |_, _| {
        noted.note("mark erased");
        Ok(true)
    });
    let noted = log.clone();
    tx.purges.expect_complete().returning(move |lease, purge| {
        assert!(purge.is_complete() && purge.fence == lease.fence);
        noted.note("complete");
        Ok(true)
    });
}
