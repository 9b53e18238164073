//! A proxy on loopback that hands each connection to the next of several servers: no server ever sees all of a caller.

use std::io::copy;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Client;

/// A proxy before several servers.
pub struct RoundRobin {
    /// Where it answers.
    pub address: SocketAddr,
    served: Arc<Vec<AtomicUsize>>,
}

impl RoundRobin {
    /// A proxy before these servers.
    #[must_use]
    pub fn before(servers: Vec<SocketAddr>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let served: Arc<Vec<AtomicUsize>> = Arc::new(servers.iter().map(|_| AtomicUsize::new(0)).collect());
        let counted = Arc::clone(&served);
        std::thread::spawn(move || {
            for (n, caller) in listener.incoming().map_while(Result::ok).enumerate() {
                let turn = n % servers.len();
                counted[turn].fetch_add(1, Ordering::SeqCst);
                if let Ok(server) = TcpStream::connect(servers[turn]) {
                    join(caller, server);
                }
            }
        });
        Self { address, served }
    }

    /// A caller without a credential.
    #[must_use]
    pub fn anonymous(&self) -> Client {
        Client::of(self.address)
    }

    /// How many connections each server was handed.
    #[must_use]
    pub fn served(&self) -> Vec<usize> {
        self.served.iter().map(|served| served.load(Ordering::SeqCst)).collect()
    }
}

/// Carries bytes both ways until either side ends.
fn join(caller: TcpStream, server: TcpStream) {
    let (to_caller, to_server) = (caller.try_clone().unwrap(), server.try_clone().unwrap());
    for (mut from, mut to) in [(caller, to_server), (server, to_caller)] {
        std::thread::spawn(move || {
            let _ = copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
}
