//! Query strings, refused with the reason.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use wire::Invalid;

use crate::auth::admitted;
use crate::problem::Problem;

/// The fields of a query string.
pub(crate) struct QueryFields<T>(pub(crate) T);

impl<T: DeserializeOwned + 'static> FromRequest for QueryFields<T> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let read = web::Query::<T>::from_query(request.query_string());
        let admitted = admitted(request);
        Box::pin(async move {
            admitted.await;
            read.map(|query| Self(query.into_inner()))
                .map_err(|_| Invalid::field(&["query"], "has a parameter of the wrong type").into())
        })
    }
}
