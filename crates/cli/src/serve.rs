//! Serving the interface.

use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;

use actix_web::rt;
use actix_web::web::Data;
use anyhow::{Context as _, bail};
use evaluation::judging::WorkKind;
use kernel::{CredentialKind, OrgId, Permissions};
use organization::{MintRequest, OrganizationReader as _, Profile};
use storage::Schema;
use web::Listeners;

use crate::arguments::ServeOptions;
use crate::background::Background;
use crate::background::judging::Judging;
use crate::due_work::Scope;
use crate::settings::Settings;
use crate::telemetry;
use crate::wiring::House;

/// The organization of a newcomer.
const FIRST_ORGANIZATION: &str = "default";

/// Serves until it is told to stop.
pub(crate) fn serve(settings: &Settings, options: &ServeOptions) -> anyhow::Result<ExitCode> {
    serve_with(
        settings,
        options,
        |house, address| {
            if address.ip().is_loopback() { welcome(house, address) } else { Ok(()) }
        },
    )
}

/// Serves until it is told to stop; who comes is greeted once the address is known.
pub(crate) fn serve_with(
    settings: &Settings,
    options: &ServeOptions,
    greet: impl FnOnce(&House, SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    telemetry::begin();
    let addresses = &options.addresses;
    let house = House::open_for(settings, addresses.listen.ip())?;
    bring_up_schema(&house, settings, options.no_migrate)?;
    house.agree_on_keys()?;
    let main = bind(addresses.listen)?;
    let operations = addresses.operations_listen.map(bind).transpose()?;
    let address = main.local_addr()?;
    tracing::info!(%address, storage = house.database.engine(), "serving");
    println!("Touchstone answers on http://{address}");
    greet(&house, address)?;
    let app = house.web(web::Settings {
        rate_limit_per_second: settings.rate_limit_per_second,
        secure_cookie: settings.is_cookie_secure_on(address.ip()),
        operations_listen: addresses.operations_listen,
    });
    let _background = Background::begin(house.resume_purges());
    let _judging = Judging::begin(house.due_work(Scope { kinds: WorkKind::ALL, only: None }));
    let listeners = Listeners { main, operations };
    rt::System::new().block_on(web::serve(Data::new(app), listeners, settings.workers, told_to_stop()))?;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

fn bring_up_schema(house: &House, settings: &Settings, no_migrate: bool) -> anyhow::Result<()> {
    let cannot_open = || format!("cannot use the database {}", settings.database.masked());
    if !no_migrate {
        house.database.migrate().with_context(cannot_open)?;
        return Ok(());
    }
    match house.database.schema().with_context(cannot_open)? {
        Schema::Current => Ok(()),
        Schema::Behind(missing) => {
            bail!(
                "the database lacks {missing} migration(s); run `touchstone migrate`, or serve without --no-migrate"
            )
        }
    }
}

fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let told = || format!("cannot listen on {address}; choose another address with --listen");
    let listener = TcpListener::bind(address).with_context(told)?;
    listener.set_nonblocking(true).with_context(told)?;
    Ok(listener)
}

/// On a new database, makes the first organization and prints a link that signs its owner in, once.
fn welcome(house: &House, address: SocketAddr) -> anyhow::Result<()> {
    if !house.database.is_empty()? {
        return Ok(());
    }
    let org = OrgId::new(FIRST_ORGANIZATION)?;
    house.found_organization().found(&org, Profile::Embedded)?;
    let request = MintRequest {
        kind: CredentialKind::Dashboard,
        permissions: Permissions::governance(),
        lifetime_seconds: None,
    };
    let minted = house.mint_credential().mint(&org, request)?;
    println!(
        "This database is new. The organization `{FIRST_ORGANIZATION}` was made; sign in, this once shown, at"
    );
    println!("    http://{address}/#token={}", minted.token.reveal());
    println!("An API key for an agent:");
    println!("    touchstone credential create --org {FIRST_ORGANIZATION} --kind production");
    Ok(())
}

async fn told_to_stop() {
    use rt::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::error!("signals cannot be heard; only a kill will stop this server");
        return std::future::pending().await;
    };
    std::future::poll_fn(|context| {
        let heard = terminate.poll_recv(context).is_ready() || interrupt.poll_recv(context).is_ready();
        if heard { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    tracing::info!("told to stop; requests in flight are finished first");
}
