//! Problems: every refusal as an RFC 9457 document with a stable code.

mod refusals;

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use wire::FieldError;
use wire::problem::ProblemDocument;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $status:ident, $title:literal;)+) => {
        /// Every code a problem can carry.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $($(#[$doc])* $name,)+
        }

        impl Code {
            /// All codes, in the order of `docs/errors.md`.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The code as programs read it.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The status it comes with.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)+ }
            }

            /// The kind of problem in a few words.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }
        }
    };
}

codes! {
    /// The body is not JSON.
    MalformedBody = "malformed_body", BAD_REQUEST, "The body is not JSON";
    /// The request line, a header or the path cannot be read.
    MalformedRequest = "malformed_request", BAD_REQUEST, "The request cannot be read";
    /// No credential, or one that opens nothing.
    NotAuthenticated = "not_authenticated", UNAUTHORIZED, "A valid credential is needed";
    /// A governance route was called without a governance credential.
    GovernanceCredentialRequired = "governance_credential_required", FORBIDDEN, "A governance credential is needed";
    /// A route for people was called with an agent's key.
    DashboardCredentialRequired = "dashboard_credential_required", FORBIDDEN, "A dashboard credential is needed";
    /// A state-changing call came with the session cookie but not from our own pages.
    OriginMismatch = "origin_mismatch", FORBIDDEN, "The call did not come from this site";
    /// There is no such route.
    RouteNotFound = "route_not_found", NOT_FOUND, "There is nothing here";
    /// The organization has no such experiment.
    ExperimentNotFound = "experiment_not_found", NOT_FOUND, "No such experiment";
    /// The organization has no such credential.
    CredentialNotFound = "credential_not_found", NOT_FOUND, "No such credential";
    /// The organization has no such profile.
    ProfileNotFound = "profile_not_found", NOT_FOUND, "No such profile";
    /// The organization has no such playbook.
    PlaybookNotFound = "playbook_not_found", NOT_FOUND, "No such playbook";
    /// The organization has no such session.
    SessionNotFound = "session_not_found", NOT_FOUND, "No such session";
    /// The organization has no such purge operation.
    PurgeNotFound = "purge_not_found", NOT_FOUND, "No such purge operation";
    /// The organization has no such regeneration job.
    JobNotFound = "job_not_found", NOT_FOUND, "No such job";
    /// The route does not take this method.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The method is not allowed here";
    /// The client took too long to send its request.
    RequestTimeout = "request_timeout", REQUEST_TIMEOUT, "The request came too slowly";
    /// Another experiment is active.
    ExperimentAlreadyActive = "experiment_already_active", CONFLICT, "Another experiment is active";
    /// The experiment id was used before.
    ExperimentIdReused = "experiment_id_reused", CONFLICT, "The experiment id was used before";
    /// The experiment has ended already.
    ExperimentNotActive = "experiment_not_active", CONFLICT, "The experiment has ended already";
    /// The request id was used before, with another body.
    RequestIdReused = "request_id_reused", CONFLICT, "The request id was used before";
    /// The profile id belongs to another user.
    ProfileOfAnotherUser = "profile_of_another_user", CONFLICT, "The profile id belongs to another user";
    /// Several users have a session of this id, and the call does not say whose is meant.
    AmbiguousSession = "ambiguous_session", CONFLICT, "Several users have a session of this id";
    /// A regeneration job is running; one runs at a time.
    RegenerationRunning = "regeneration_running", CONFLICT, "A regeneration job is running";
    /// Another caller is grading the session right now.
    GradedElsewhere = "graded_elsewhere", CONFLICT, "The session is being graded";
    /// The subject is being erased.
    SubjectBeingErased = "subject_being_erased", CONFLICT, "The subject is being erased";
    /// The subject has been erased.
    SubjectErased = "subject_erased", GONE, "The subject has been erased";
    /// The body is larger than 10 MiB.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The body is too large";
    /// The body is not declared as JSON.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body must be application/json";
    /// A search names no user while an experiment is active.
    UserIdRequired = "user_id_required", UNPROCESSABLE_ENTITY, "A user_id is needed while an experiment is active";
    /// A publish names an experiment that is unknown, or an arm the user is not in.
    WrongAttribution = "wrong_attribution", UNPROCESSABLE_ENTITY, "The experiment attribution is not true";
    /// A field is missing, of the wrong type or out of range.
    InvalidRequest = "invalid_request", UNPROCESSABLE_ENTITY, "The request is not valid";
    /// The credential has used up its share of requests.
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, "Too many requests";
    /// A defect on our side.
    Internal = "internal", INTERNAL_SERVER_ERROR, "Something went wrong here";
    /// An erasure failed; its barrier stays up, and the same ticket can be tried again.
    EraseFailed = "erase_failed", INTERNAL_SERVER_ERROR, "The erasure failed";
    /// This server does not keep such data.
    NotSupported = "not_supported", NOT_IMPLEMENTED, "Not supported here";
    /// The judge cannot be reached, or does not answer as it should.
    JudgeUnavailable = "judge_unavailable", BAD_GATEWAY, "The judge is not available";
    /// The store cannot be reached or is too busy.
    StorageUnavailable = "storage_unavailable", SERVICE_UNAVAILABLE, "The storage is not available";
}

/// A refusal on its way to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    code: Code,
    detail: String,
    errors: Vec<FieldError>,
    retry_after_seconds: Option<u64>,
    allow: Option<&'static str>,
}

impl Problem {
    /// A problem of this kind, told by its title alone.
    #[must_use]
    pub fn new(code: Code) -> Self {
        Self {
            code,
            detail: format!("{}.", code.title()),
            errors: Vec::new(),
            retry_after_seconds: None,
            allow: None,
        }
    }

    /// A problem of this kind, with a sentence about this case.
    #[must_use]
    pub fn telling(code: Code, detail: impl fmt::Display) -> Self {
        Self { detail: sentence(&detail.to_string()), ..Self::new(code) }
    }

    /// The same problem, with the field that it is about.
    #[must_use]
    fn at(self, loc: &[&str]) -> Self {
        let loc = loc.iter().map(|&part| part.to_owned()).collect();
        Self { errors: vec![FieldError { loc, msg: self.detail.clone() }], ..self }
    }

    /// The same problem, with a hint when to try again.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after_seconds: Some(seconds), ..self }
    }

    /// A defect on our side; what happened is in the log, not in the answer.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(Code::Internal)
    }

    /// A refused method, with those that are allowed.
    #[must_use]
    pub fn method_not_allowed(allow: &'static str) -> Self {
        Self { allow: Some(allow), ..Self::new(Code::MethodNotAllowed) }
    }

    /// The closest problem for a status that no handler of ours answered.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        Self::new(match status {
            StatusCode::NOT_FOUND => Code::RouteNotFound,
            StatusCode::METHOD_NOT_ALLOWED => Code::MethodNotAllowed,
            StatusCode::PAYLOAD_TOO_LARGE => Code::BodyTooLarge,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::UnsupportedMediaType,
            StatusCode::REQUEST_TIMEOUT => Code::RequestTimeout,
            status if status.is_client_error() => Code::MalformedRequest,
            _ => Code::Internal,
        })
    }

    /// The document for the caller.
    pub(crate) fn document(&self, request_id: &str) -> ProblemDocument {
        ProblemDocument {
            kind: format!("urn:touchstone:problem:{}", self.code.text()),
            title: self.code.title().to_owned(),
            status: self.code.status().as_u16(),
            detail: self.detail.clone(),
            code: self.code.text().to_owned(),
            request_id: request_id.to_owned(),
            errors: self.errors.clone(),
        }
    }

    /// The whole answer, for the request of this id.
    pub(crate) fn answer(&self, request_id: &str) -> HttpResponse {
        let mut answer = HttpResponse::build(self.code.status());
        answer.content_type("application/problem+json");
        if let Some(seconds) = self.retry_after_seconds {
            answer.insert_header(("retry-after", seconds.to_string()));
        }
        if self.code.status() == StatusCode::UNAUTHORIZED {
            answer.insert_header(("www-authenticate", "Bearer"));
        }
        if let Some(allow) = self.allow {
            answer.insert_header(("allow", allow));
        }
        answer.body(serde_json::to_string(&self.document(request_id)).unwrap_or_default())
    }
}

/// Errors are written as facts in lower case; people read sentences.
fn sentence(fact: &str) -> String {
    let mut letters = fact.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let mut text: String = first.chain(letters).collect();
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.code.text())
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.code.status()
    }

    /// The request's id is not known here: the problem travels with the answer, and `context.rs` writes it out.
    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::new(self.code.status());
        answer.extensions_mut().insert(self.clone());
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use kernel::StoreError;

    use super::*;

    #[test]
    fn every_code_is_told_in_the_list_of_errors() {
        let list = include_str!("../../../docs/errors.md");

        for code in Code::ALL {
            let row = format!("| `{}` | {} |", code.text(), code.status().as_u16());
            assert!(list.contains(&row), "docs/errors.md lacks {row}");
        }
    }

    #[test]
    fn no_two_codes_share_a_text() {
        let texts: HashSet<_> = Code::ALL.iter().map(|code| code.text()).collect();

        assert_eq!(texts.len(), Code::ALL.len());
    }

    #[test]
    fn a_store_failure_tells_the_caller_nothing_of_its_cause() {
        let problem = Problem::from(StoreError::Failed("syntax error near SELECT".to_owned()));

        assert!(!format!("{:?}", problem.document("r")).contains("SELECT"));
    }

    #[test]
    fn a_store_that_is_away_is_worth_another_try() {
        let answer = Problem::from(StoreError::Unavailable("down".to_owned())).answer("r");

        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(answer.headers().contains_key("retry-after"));
    }
}
