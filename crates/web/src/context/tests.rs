//! What surrounds a request, tried on handlers that no room has.

use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::{App, rt, web};

use super::surround;

async fn panics() -> &'static str {
    panic!("secret of the panic")
}

#[test]
fn a_handler_that_panics_answers_a_problem_with_the_requests_id() {
    rt::System::new().block_on(async {
        let routes = App::new().route("/", web::get().to(panics)).wrap(from_fn(surround));
        let app = init_service(routes).await;
        let request = TestRequest::get().uri("/").insert_header(("x-request-id", "trace-9"));

        let told = try_call_service(&app, request.to_request()).await.unwrap_err().error_response();

        assert_eq!(told.status().as_u16(), 500);
        assert_eq!(told.headers().get("content-type").unwrap(), "application/problem+json");
        assert_eq!(told.headers().get("x-request-id").unwrap(), "trace-9");
        let body = actix_web::body::to_bytes(told.into_body()).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains("\"internal\"") && !body.contains("secret"), "{body}");
    });
}
