//! A server inside the test's own process, on a port of its own, over either database.

use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::thread::JoinHandle;

use actix_web::rt::System;
use actix_web::web::Data;
use storage::Database;
use storage::testing::TestDatabase;
use tokio::sync::oneshot;
use touchstone_cli::wiring::House;
use web::{Listeners, Readiness, Settings};

use crate::{Client, StubClock, TestOrganization};

/// The time it is when a test begins.
pub const NOW: i64 = 1_750_000_000;

/// A running server; it stops with this value.
pub struct TestApp {
    /// Its database, for what no route offers.
    pub database: TestDatabase,
    /// Its clock.
    pub clock: StubClock,
    /// Where it answers.
    pub address: SocketAddr,
    /// Where health and metrics answer.
    pub operations: SocketAddr,
    store: Database,
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
}

/// How a server shall be, where a test needs it otherwise than usual.
pub struct Builder {
    database: TestDatabase,
    rate_limit: Option<NonZeroU32>,
    readiness: Option<Arc<dyn Readiness>>,
    has_operations_listener: bool,
}

impl TestApp {
    /// A server over this database, with the usual settings.
    #[must_use]
    pub fn on(database: TestDatabase) -> Self {
        Self::building(database).serve()
    }

    /// A server over this database, still to be settled.
    #[must_use]
    pub fn building(database: TestDatabase) -> Builder {
        Builder { database, rate_limit: None, readiness: None, has_operations_listener: false }
    }

    /// Makes an organization.
    #[must_use]
    pub fn organization(&self, id: &str) -> TestOrganization {
        TestOrganization::found(&self.store, Arc::new(self.clock.clone()), id)
    }

    /// A caller without a credential.
    #[must_use]
    pub fn anonymous(&self) -> Client {
        Client::of(self.address)
    }

    /// A caller with an agent's key of this organization, which is made if it is new.
    #[must_use]
    pub fn production(&self, org: &str) -> Client {
        self.anonymous().bearing(&self.organization(org).production())
    }

    /// A caller with a person's bearer of this organization, which is made if it is new.
    #[must_use]
    pub fn dashboard(&self, org: &str) -> Client {
        self.anonymous().bearing(&self.organization(org).dashboard())
    }

    /// A caller who may export and erase users of this organization, which is made if it is new.
    #[must_use]
    pub fn governance(&self, org: &str) -> Client {
        self.anonymous().bearing(&self.organization(org).governance())
    }
}

impl Builder {
    /// Lets each credential call so often a second.
    #[must_use]
    pub fn rate_limit(mut self, per_second: u32) -> Self {
        self.rate_limit = NonZeroU32::new(per_second);
        self
    }

    /// Asks this whether the service is ready.
    #[must_use]
    pub fn readiness(mut self, readiness: impl Readiness + 'static) -> Self {
        self.readiness = Some(Arc::new(readiness));
        self
    }

    /// Moves health and metrics to a listener of their own.
    #[must_use]
    pub fn operations_listener(mut self) -> Self {
        self.has_operations_listener = true;
        self
    }

    /// Begins to serve.
    #[must_use]
    pub fn serve(self) -> TestApp {
        let clock = StubClock::at(NOW);
        let store = self.database.another_server();
        let house = House::over(store.clone(), Arc::new(clock.clone()));
        let main = listener();
        let address = main.local_addr().unwrap();
        let operations_listener = self.has_operations_listener.then(listener);
        let operations = operations_listener.as_ref().map_or(address, |own| own.local_addr().unwrap());
        let settings = Settings {
            rate_limit_per_second: self.rate_limit,
            secure_cookie: false,
            operations_listen: operations_listener.as_ref().map(|_| operations),
        };
        let mut app = house.web(settings);
        if let Some(readiness) = self.readiness {
            app.readiness = readiness;
        }
        let (stop, stopped) = oneshot::channel();
        let server = std::thread::spawn(move || {
            let listeners = Listeners { main, operations: operations_listener };
            let until = async { drop(stopped.await) };
            System::new().block_on(web::serve(Data::new(app), listeners, 1, until)).unwrap();
        });
        let (stop, server) = (Some(stop), Some(server));
        TestApp { database: self.database, clock, address, operations, store, stop, server }
    }
}

/// The socket listens from here on: a caller that is early waits in its queue.
fn listener() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

impl Drop for TestApp {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

/// Runs one test body against a server on each database: `on_both! { fn a_sentence(app) { … } }`.
#[macro_export]
macro_rules! on_both {
    ($($(#[$attribute:meta])* fn $name:ident($app:ident) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $(#[$attribute])*
            fn holds($app: &$crate::TestApp) $body

            #[test]
            fn on_sqlite() {
                holds(&$crate::TestApp::on($crate::TestDatabase::sqlite()));
            }

            #[test]
            fn on_postgres() {
                if let Some(database) = $crate::TestDatabase::postgres() {
                    holds(&$crate::TestApp::on(database));
                }
            }
        }
    )+};
}
