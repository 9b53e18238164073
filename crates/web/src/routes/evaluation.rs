//! Evaluation over HTTP.

mod intake;
mod judging;
mod overview;
mod results;
mod verdicts;

use actix_web::web::ServiceConfig;

pub(crate) use {intake::*, judging::*, overview::*, results::*, verdicts::*};

pub(super) fn register(config: &mut ServiceConfig) {
    results::register(config);
    verdicts::register(config);
    overview::register(config);
    intake::register(config);
    judging::register(config);
}
