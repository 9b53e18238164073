//! What agents publish, keep and search, over HTTP.

mod activity;
mod agent_playbooks;
mod profiles;
mod publish;
mod search;
mod user_playbooks;

use actix_web::web::ServiceConfig;

pub(crate) use {activity::*, agent_playbooks::*, profiles::*, publish::*, search::*, user_playbooks::*};

pub(super) fn register(config: &mut ServiceConfig) {
    publish::register(config);
    activity::register(config);
    profiles::register(config);
    user_playbooks::register(config);
    agent_playbooks::register(config);
    search::register(config);
}
