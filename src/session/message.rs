//! JSON-RPC 2.0: what a request is, and what answers look like.

use std::fmt::Display;

use serde_json::{Map, Value, json};

use crate::error::{Classified, ErrorKind};
use crate::limits::MAX_BATCH;
use crate::text::counted;

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// Its id; `None`: a notification, which is not answered.
    pub id: Option<Value>,
    pub method: String,
    pub params: Value,
}

/// What a message holds: requests, and answers to what is none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parsed {
    pub items: Vec<Item>,
    /// Whether the answers are to be one array.
    pub is_batch: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Request(Request),
    /// Something that is no request, and its answer.
    Answered(Value),
}

/// Reads a message.
pub(crate) fn parse_message(bytes: &[u8]) -> Parsed {
    let one = |item| Parsed { items: vec![item], is_batch: false };
    match serde_json::from_slice::<Value>(bytes) {
        Err(error) => one(Item::Answered(parse_error(&error.to_string()))),
        Ok(Value::Array(items)) if items.is_empty() => one(Item::Answered(invalid_request("the batch is empty"))),
        Ok(Value::Array(items)) if items.len() > MAX_BATCH => one(Item::Answered(invalid_request(&format!(
            "the batch has {}: the limit is {MAX_BATCH}",
            counted(items.len(), "request")
        )))),
        Ok(Value::Array(items)) => Parsed { items: items.into_iter().map(parse_request).collect(), is_batch: true },
        Ok(value) => one(parse_request(value)),
    }
}

fn parse_request(value: Value) -> Item {
    let Value::Object(mut object) = value else { return Item::Answered(invalid_request("expected an object")) };
    if object.get("jsonrpc") != Some(&json!("2.0")) {
        return Item::Answered(invalid_request("expected \"jsonrpc\": \"2.0\""));
    }
    let id = object.remove("id");
    if !matches!(id, None | Some(Value::Null | Value::Number(_) | Value::String(_))) {
        return Item::Answered(invalid_request("expected an id that is a number or a text"));
    }
    let Some(Value::String(method)) = object.remove("method") else {
        return Item::Answered(invalid_request("expected a method"));
    };
    let params = match object.remove("params") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(params) => params,
    };
    Item::Request(Request { id, method, params })
}

/// The answer to something that is no JSON, or no message at all.
pub(crate) fn parse_error(reason: &str) -> Value {
    error_object(Value::Null, -32700, &format!("cannot read the message: {reason}"), Value::Null)
}

fn invalid_request(reason: &str) -> Value {
    error_object(Value::Null, -32600, &format!("not a request: {reason}"), Value::Null)
}

/// An error that is the answer to a request.
pub(crate) trait Answered: Classified + Display {
    /// The code of the JSON-RPC error.
    fn code(&self) -> i64;
}

/// The answer to a request. `exit_code` is what the program would end in with an error of a kind, if it is one that ends.
pub(crate) fn answer<E: Answered>(
    id: Value,
    result: Result<Value, E>,
    exit_code: Option<fn(ErrorKind) -> u8>,
) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => {
            let kind = error.kind();
            let mut data = Map::from_iter([("kind".to_owned(), json!(kind))]);
            data.extend(exit_code.map(|code| ("exit_code".to_owned(), json!(code(kind)))));
            data.insert("offset".to_owned(), json!(error.offset()));
            error_object(id, error.code(), &error.to_string(), Value::Object(data))
        }
    }
}

fn error_object(id: Value, code: i64, message: &str, data: Value) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let (Value::Object(error), false) = (&mut error, data.is_null()) {
        error.insert("data".to_owned(), data);
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_notifications_and_what_is_neither() {
        let request = |id: Option<Value>| Request { id, method: "a".to_owned(), params: json!({}) };
        let parse = |text: &str| parse_message(text.as_bytes()).items.remove(0);
        assert_eq!(parse(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#), Item::Request(request(Some(json!(1)))));
        assert_eq!(parse(r#"{"jsonrpc":"2.0","method":"a","params":null}"#), Item::Request(request(None)));
        for (text, code) in [
            ("{", -32700),
            ("[]", -32600),
            ("7", -32600),
            (r#"{"id":1,"method":"a"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":[],"method":"a"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        ] {
            let Item::Answered(answer) = parse(text) else { panic!("{text}") };
            assert_eq!(answer["error"]["code"], code, "{text}");
            assert_eq!(answer["id"], Value::Null);
        }
        let batch = parse_message(br#"[7,{"jsonrpc":"2.0","id":1,"method":"a"}]"#);
        assert!(batch.is_batch && batch.items.len() == 2);
        let deep = "[".repeat(100_000);
        assert!(matches!(parse(&deep), Item::Answered(_)));
    }
}
