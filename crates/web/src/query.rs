//! Query strings, refused with the reason.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use serde::de::DeserializeOwned;
use wire::Invalid;

use crate::problem::Problem;

/// The fields of a query string.
pub(crate) struct QueryFields<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest for QueryFields<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let read = web::Query::<T>::from_query(request.query_string());
        ready(
            read.map(|query| Self(query.into_inner()))
                .map_err(|_| Invalid::field(&["query"], "has a parameter of the wrong type").into()),
        )
    }
}
