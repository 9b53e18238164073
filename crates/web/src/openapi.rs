//! The OpenAPI 3.1 document, made from the handlers and the wire types.

use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Content, Ref, Response, SecurityRequirement};
use utoipa::{Modify, OpenApi};
use wire::problem::ProblemDocument;

use crate::auth::SESSION_COOKIE;
use crate::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Touchstone",
        description = "Governance, evaluation and retrieval experiments for AI agents.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        routes::publish_interaction,
        routes::get_requests,
        routes::get_interactions,
        routes::delete_session,
        routes::learning_feed,
        routes::add_user_profile,
        routes::get_profiles,
        routes::update_user_profile,
        routes::delete_profile,
        routes::add_user_playbook,
        routes::get_user_playbooks,
        routes::update_user_playbook,
        routes::delete_user_playbook,
        routes::add_agent_playbook,
        routes::get_agent_playbooks,
        routes::update_agent_playbook,
        routes::update_agent_playbook_status,
        routes::delete_agent_playbook,
        routes::search,
        routes::search_profiles,
        routes::search_user_playbooks,
        routes::search_agent_playbooks,
        routes::get_agent_success_evaluation_results,
        routes::results_csv,
        routes::results_ndjson,
        routes::get_retrieved_learning_evaluation_results,
        routes::recent_shadow_comparisons,
        routes::get_evaluation_overview,
        routes::import_evaluation_results,
        routes::partner_scores,
        routes::regenerate,
        routes::preview_regeneration,
        routes::list_regenerations,
        routes::show_regeneration,
        routes::cancel_regeneration,
        routes::grade_on_demand,
        routes::evaluation_status,
        routes::export_user,
        routes::erase_user,
        routes::erase_preview,
        routes::show_purge,
        routes::list_experiments,
        routes::start_experiment,
        routes::stop_experiment,
        routes::plan_experiment,
        routes::experiment_results,
        routes::get_config,
        routes::set_config,
        routes::update_config,
        routes::sign_in,
        routes::who_am_i,
        routes::sign_out,
        routes::system,
        routes::healthz,
        routes::readyz,
        routes::show_metrics,
    ),
    components(schemas(ProblemDocument)),
    modifiers(&Credentials, &Problems)
)]
struct Document;

/// The document as JSON text.
#[must_use]
pub fn text() -> String {
    Document::openapi().to_pretty_json().unwrap_or_default()
}

/// The two ways to show a credential.
struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        let cookie = ApiKey::Cookie(ApiKeyValue::new(SESSION_COOKIE));
        components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
        document.security = Some(vec![
            SecurityRequirement::new("bearer", Vec::<String>::new()),
            SecurityRequirement::new("session", Vec::<String>::new()),
        ]);
    }
}

/// Refusals that any route can answer, so that no handler has to repeat them.
struct Problems;

const ANYWHERE: [(&str, &str); 12] = [
    ("400", "The request or its body cannot be read"),
    ("401", "No credential, or one that opens nothing"),
    ("403", "The credential lacks the permission, or a cookie call came from elsewhere"),
    ("404", "There is no such thing in this organization"),
    ("405", "The method is not allowed here"),
    ("408", "The request came too slowly"),
    ("413", "The body is larger than 10 MiB"),
    ("415", "The body is not declared as JSON"),
    ("422", "A field is missing, of the wrong type or out of range"),
    ("429", "The credential has used up its share of requests"),
    ("500", "A defect on our side"),
    ("503", "The storage is not available"),
];

impl Modify for Problems {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for item in document.paths.paths.values_mut() {
            let operations =
                [&mut item.get, &mut item.post, &mut item.put, &mut item.delete, &mut item.patch];
            for operation in operations.into_iter().flatten() {
                add_problems(operation);
            }
        }
    }
}

fn add_problems(operation: &mut Operation) {
    let told = || Content::new(Some(Ref::from_schema_name("ProblemDocument")));
    for (status, description) in ANYWHERE {
        operation
            .responses
            .responses
            .entry(status.to_owned())
            .or_insert_with(|| utoipa::openapi::RefOr::T(Response::new(description)));
    }
    for (status, response) in &mut operation.responses.responses {
        let is_problem = status.starts_with('4') || status.starts_with('5');
        if let (true, utoipa::openapi::RefOr::T(response)) = (is_problem, response) {
            response.content.insert("application/problem+json".to_owned(), utoipa::openapi::RefOr::T(told()));
        }
    }
}
