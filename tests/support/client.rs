//! A caller over real HTTP.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::Method;
use reqwest::blocking::Client as Http;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// A caller of one server, with the headers it sends on every call.
#[derive(Debug, Clone)]
pub struct Client {
    base: String,
    headers: Vec<(String, String)>,
}

/// What the server answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub body: Vec<u8>,
}

impl Client {
    /// A caller without a credential.
    #[must_use]
    pub fn of(address: SocketAddr) -> Self {
        Self { base: format!("http://{address}"), headers: Vec::new() }
    }

    /// The same caller, sending this header too.
    #[must_use]
    pub fn sending(&self, name: &str, value: impl Into<String>) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.into()));
        client
    }

    /// The same caller, showing this bearer.
    #[must_use]
    pub fn bearing(&self, token: &str) -> Self {
        self.sending("authorization", format!("Bearer {token}"))
    }

    /// The server's address as a browser would name it.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.base
    }

    /// Reads.
    #[must_use]
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    /// Posts a JSON document.
    #[must_use]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, Some(body))
    }

    /// Deletes.
    #[must_use]
    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None)
    }

    /// Sends any method, with a JSON document or none.
    #[must_use]
    pub fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        self.try_send(method, path, body).unwrap()
    }

    /// Sends any method to a server that may die meanwhile.
    pub fn try_send(&self, method: &str, path: &str, body: Option<&Value>) -> reqwest::Result<Answer> {
        let text = body.map(Value::to_string);
        self.transmit(method, path, text.map(|text| ("application/json", text.into_bytes())))
    }

    /// Posts bytes as they are, under this content type.
    #[must_use]
    pub fn post_raw(&self, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Answer {
        self.transmit("POST", path, Some((content_type, body.into()))).unwrap()
    }

    fn transmit(&self, method: &str, path: &str, body: Option<(&str, Vec<u8>)>) -> reqwest::Result<Answer> {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = http().request(method, format!("{}{path}", self.base));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some((content_type, bytes)) = body {
            request = request.header("content-type", content_type).body(bytes);
        }
        let response = request.send()?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Answer { status, headers, body: response.bytes()?.to_vec() })
    }
}

impl Answer {
    /// The body as a JSON document.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's text; empty when it is absent.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Status and code of a problem document, as `409 experiment_id_reused`; a good answer is its status alone.
    #[must_use]
    pub fn told(&self) -> String {
        if self.status < 400 {
            return self.status.to_string();
        }
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text());
        let document = self.json();
        assert_eq!(document["status"], self.status, "{document}");
        assert_eq!(document["request_id"], self.header("x-request-id"), "{document}");
        format!("{} {}", self.status, document["code"].as_str().unwrap())
    }
}

/// One connection a call: a server that a test stops has no idle connections to wait for.
fn http() -> &'static Http {
    static HTTP: OnceLock<Http> = OnceLock::new();
    HTTP.get_or_init(|| {
        // Ring is the one provider we build; a second caller finds it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let redirects = reqwest::redirect::Policy::none();
        let patience = Duration::from_secs(30);
        Http::builder().pool_max_idle_per_host(0).redirect(redirects).timeout(patience).build().unwrap()
    })
}
