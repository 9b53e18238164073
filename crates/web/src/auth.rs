//! Credentials as arguments: a route states whom it serves by the caller it takes.

use std::collections::HashMap;
use std::future::{Future, pending};
use std::ops::Deref;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, HOST, HeaderMap, ORIGIN};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use kernel::Caller;
use organization::{OrganizationError, Token, TokenDigest};
use tokio::sync::watch;

use crate::app::App;
use crate::blocking;
use crate::problem::{Code, Problem};

/// The cookie that holds a person's session.
pub(crate) const SESSION_COOKIE: &str = "touchstone_session";
/// For so long a bearer that was just seen is not looked up again; a revocation is felt after at most this time.
const REMEMBERED: Duration = Duration::from_secs(1);
/// So many bearers are remembered at most.
const MOST_REMEMBERED: usize = 10_000;

/// Bearers seen within the last second.
#[derive(Default)]
pub(crate) struct Callers {
    seen: Mutex<HashMap<TokenDigest, (Instant, Caller)>>,
}

impl Callers {
    fn recall(&self, digest: &TokenDigest) -> Option<Caller> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(digest).filter(|(at, _)| at.elapsed() < REMEMBERED).map(|(_, caller)| caller.clone())
    }

    /// Remembers who a bearer was when the store was asked: an answer is as old as its question.
    fn remember(&self, digest: TokenDigest, caller: Caller, asked_at: Instant) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST_REMEMBERED {
            seen.clear();
        }
        seen.insert(digest, (asked_at, caller));
    }

    /// Forgets everybody, so that a sign-out is felt at once on this server.
    pub(crate) fn forget(&self) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Any credential of the organization.
pub(crate) struct OrgCaller(Caller);

/// A person: a dashboard bearer or a session made from one.
pub(crate) struct DashboardCaller(Caller);

/// A person who may export and erase users.
pub(crate) struct GovernanceCaller(Caller);

macro_rules! caller {
    ($name:ident, $check:expr) => {
        impl Deref for $name {
            type Target = Caller;

            fn deref(&self) -> &Caller {
                &self.0
            }
        }

        impl FromRequest for $name {
            type Error = Problem;
            type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

            fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
                let door = Door::shut(request);
                let identified = identify(request.clone());
                Box::pin(async move {
                    let caller = identified.await?;
                    let check: fn(&Caller) -> Result<(), Problem> = $check;
                    check(&caller)?;
                    door.open();
                    Ok(Self(caller))
                })
            }
        }
    };
}

caller!(OrgCaller, |_| Ok(()));
caller!(DashboardCaller, |caller| {
    if caller.is_person() { Ok(()) } else { Err(Problem::new(Code::DashboardCredentialRequired)) }
});
caller!(GovernanceCaller, |caller| {
    if caller.may_govern() { Ok(()) } else { Err(Problem::new(Code::GovernanceCredentialRequired)) }
});

/// Stands between a caller and what a request holds: who may not call learns nothing else about it.
///
/// The arguments of a route are all taken at the same time, and whichever fails first is the answer.
struct Door(watch::Sender<bool>);

/// How the other arguments of a route see the door.
#[derive(Clone)]
struct Threshold(watch::Receiver<bool>);

impl Door {
    /// Shuts the door before the arguments that come after the caller.
    fn shut(request: &HttpRequest) -> Self {
        let (door, threshold) = watch::channel(false);
        request.extensions_mut().insert(Threshold(threshold));
        Self(door)
    }

    fn open(self) {
        self.0.send_replace(true);
    }
}

/// Waits until the caller whom the route asks for may come in; at once where it asks for none.
pub(crate) fn admitted(request: &HttpRequest) -> impl Future<Output = ()> + use<> {
    let threshold = request.extensions().get::<Threshold>().cloned();
    async move {
        if let Some(Threshold(mut door)) = threshold
            && door.wait_for(|is_open| *is_open).await.is_err()
        {
            // The caller was turned away; that is the answer, whatever becomes of this argument.
            pending::<()>().await;
        }
    }
}

/// Where a bearer came from decides what else must hold.
struct Shown {
    bearer: String,
    is_cookie: bool,
}

async fn identify(request: HttpRequest) -> Result<Caller, Problem> {
    let not_authenticated = || Problem::from(OrganizationError::NotAuthenticated);
    let shown = shown(&request).ok_or_else(not_authenticated)?;
    if shown.is_cookie && changes_state(request.method()) {
        check_origin(request.headers())?;
    }
    let Some(app) = request.app_data::<Data<App>>().cloned() else { return Err(Problem::internal()) };
    let digest = Token::parse(&shown.bearer).ok_or_else(not_authenticated)?.digest();
    let caller = if let Some(caller) = app.callers.recall(&digest) {
        caller
    } else {
        let authenticate = app.organization.authenticate.clone();
        let asked_at = Instant::now();
        let caller = blocking::short_call(move || authenticate.authenticate(&shown.bearer)).await?;
        app.callers.remember(digest, caller.clone(), asked_at);
        caller
    };
    app.rate.admit(&caller)?;
    request.extensions_mut().insert(caller.org.clone());
    Ok(caller)
}

fn shown(request: &HttpRequest) -> Option<Shown> {
    if let Some(header) = request.headers().get(AUTHORIZATION) {
        let (scheme, bearer) = header.to_str().ok()?.split_once(' ')?;
        let bearer = scheme.eq_ignore_ascii_case("bearer").then(|| bearer.trim().to_owned())?;
        return Some(Shown { bearer, is_cookie: false });
    }
    let cookie = request.cookie(SESSION_COOKIE)?;
    Some(Shown { bearer: cookie.value().to_owned(), is_cookie: true })
}

fn changes_state(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// A browser says where a call comes from; another site's page must not act with our visitor's cookie.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text =
        |name| headers.get(name).and_then(|value: &actix_web::http::header::HeaderValue| value.to_str().ok());
    let from = text(ORIGIN).and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
    match (from, text(HOST)) {
        (Some(from), Some(host)) if from.eq_ignore_ascii_case(host) => Ok(()),
        _ => Err(Problem::new(Code::OriginMismatch)),
    }
}
