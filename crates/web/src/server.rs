//! The server: listeners, limits and a graceful end.

use std::future::Future;
use std::net::TcpListener;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data};
use actix_web::{App as ActixApp, HttpServer};

use crate::app::App;
use crate::{context, dashboard, metrics, routes};

/// A client that needs longer to send its headers is holding a door open.
const SLOWEST_HEAD: Duration = Duration::from_secs(10);
/// An idle connection is closed after this time.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// Requests in flight have this long to finish after a stop was asked for.
const GRACE_SECONDS: u64 = 30;

/// The sockets a server answers on.
pub struct Listeners {
    /// The interface.
    pub main: TcpListener,
    /// Health and metrics, if they have a listener of their own.
    pub operations: Option<TcpListener>,
}

/// Serves until `stop` resolves; requests in flight are finished first.
pub async fn serve(
    app: Data<App>,
    listeners: Listeners,
    workers: usize,
    stop: impl Future<Output = ()> + 'static,
) -> std::io::Result<()> {
    let has_own = listeners.operations.is_some();
    let main = start(app.clone(), listeners.main, workers, move |config| {
        routes::interface(config);
        if !has_own {
            routes::operations(config);
        }
    })?;
    let operations = match listeners.operations {
        Some(listener) => Some(start(app, listener, 1, routes::operations)?),
        None => None,
    };
    let handles: Vec<ServerHandle> =
        std::iter::once(&main).chain(operations.as_ref()).map(Server::handle).collect();
    actix_web::rt::spawn(metrics::keep_up());
    actix_web::rt::spawn(async move {
        stop.await;
        for handle in handles {
            handle.stop(true).await;
        }
    });
    match operations {
        Some(operations) => futures_util::future::try_join(main, operations).await.map(|_| ()),
        None => main.await,
    }
}

fn start(
    app: Data<App>,
    listener: TcpListener,
    workers: usize,
    routes: impl Fn(&mut web::ServiceConfig) + Clone + Send + 'static,
) -> std::io::Result<Server> {
    let server = HttpServer::new(move || {
        ActixApp::new()
            .app_data(app.clone())
            .configure(routes.clone())
            .default_service(web::route().to(dashboard::nothing_here))
            .wrap(from_fn(context::surround))
    });
    Ok(server
        .workers(workers)
        .client_request_timeout(SLOWEST_HEAD)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(GRACE_SECONDS)
        .tcp_nodelay(true)
        .disable_signals()
        .listen(listener)?
        .run())
}
