//! `serve --mcp`, as an agent's client drives it: over pipes, a message on each line.
//!
//! Needs software Vulkan.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::support;
use aerogpu_replay::session::METHODS;
use serde_json::{Value, json};
use support::fixture;
use support::harness::{Trial, trials_of};
use support::program::program;

struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Agent {
    fn start() -> Self {
        let mut command = program();
        command.args(["serve", "--mcp", "--backend", "vulkan", "--adapter", "llvmpipe"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, last_id: 0 }
    }

    fn say(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{text}").unwrap();
        input.flush().unwrap();
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        let answer = self.answer();
        assert_eq!(answer["id"], json!(id), "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Ends the input; gives the exit code once nothing more was said.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        let mut line = String::new();
        assert_eq!(self.output.read_line(&mut line).unwrap(), 0, "{line:?}");
        self.child.wait().unwrap().code()
    }
}

fn a_client_shakes_hands_and_lists_the_tools() {
    let mut agent = Agent::start();
    for (asked, expected) in [("2025-03-26", "2025-03-26"), ("1999-01-01", "2025-11-25")] {
        let params = json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "test" } });
        let result = agent.ask("initialize", &params)["result"].clone();
        assert_eq!(
            (&result["protocolVersion"], &result["serverInfo"]["name"]),
            (&json!(expected), &json!("aerogpu-replay"))
        );
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
    }
    agent.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(agent.ask("ping", &json!({}))["result"], json!({}));
    let tools = agent.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let no_tools = ["initialize", "shutdown", "trim"];
    let expected: Vec<&str> =
        METHODS.iter().map(|method| method.name).filter(|name| !no_tools.contains(name)).collect();
    assert_eq!(names, expected);
    assert_eq!(agent.ask("resources/list", &json!({}))["error"]["code"], -32601);
    assert_eq!(agent.ask("tools/call", &json!({ "name": "trim" }))["error"]["message"], "there is no tool \"trim\"");
    agent.say("not a message");
    assert_eq!(agent.answer()["error"]["code"], -32700);
    assert_eq!(agent.end(), Some(0));
}

/// A value that a schema allows.
fn sample(schema: &Value) -> Value {
    match &schema["type"] {
        Value::String(kind) if schema.get("enum").is_some() && kind == "string" => schema["enum"][0].clone(),
        Value::String(kind) if kind == "integer" => json!(1),
        Value::String(kind) if kind == "boolean" => json!(true),
        Value::String(kind) if kind == "object" => json!({ "frame": 0, "row": 0 }),
        Value::Array(kinds) if kinds[0] == "integer" => json!(1),
        _ => json!("1"),
    }
}

/// Each parameter of each tool is taken in the kind that the tool's schema says, and in no other.
fn schemas_are_what_is_read() {
    let mut agent = Agent::start();
    let tools = agent.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let mut tried = 0;
    for tool in tools.as_array().unwrap() {
        let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
        let properties = schema["properties"].as_object().unwrap();
        let required = schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        let base: serde_json::Map<String, Value> =
            required.map(|name| (name.to_owned(), sample(&properties[name]))).collect();
        for (parameter, schema) in properties {
            let mut given = base.clone();
            given.insert(parameter.clone(), sample(schema));
            let result = agent.call(name, &Value::Object(given.clone()));
            let text = result["content"][0]["text"].as_str().unwrap();
            // A size has a form of its own, and two places or pictures at once are refused.
            let is_read =
                !text.starts_with("parameters of") || text.contains("size is \"1\"") || text.contains("two places");
            assert!(is_read, "{name}, {parameter}: {text}");
            given.insert(parameter.clone(), json!([[]]));
            let result = agent.call(name, &Value::Object(given));
            assert_eq!(result["isError"], true, "{name}, {parameter}: {result}");
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(text.starts_with(&format!("parameters of {name}: {parameter}: ")), "{name}, {parameter}: {text}");
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried}");
    assert_eq!(agent.end(), Some(0));
}

fn an_agent_finds_the_draw_that_made_a_pixel() {
    let mut agent = Agent::start();
    let opened = agent.call("open", &json!({ "path": fixture("upload_between_draws") }));
    assert_eq!((&opened["isError"], &opened["structuredContent"]["trace"]), (&json!(false), &json!(1)));
    let image = agent.call("image", &json!({ "trace": 1, "frame": 0 }));
    assert_eq!(
        (&image["content"][0]["type"], &image["content"][0]["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
    assert!(image["content"][0]["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
    let told: Value = serde_json::from_str(image["content"][1]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&told, &told["frame"]), (&image["structuredContent"], &json!(0)));
    let pixel = agent.call("pixel", &json!({ "trace": 1, "frame": 0, "x": 40, "y": 20 }));
    let events = pixel["structuredContent"]["events"].as_array().unwrap().clone();
    let writer = events.iter().rfind(|event| event["wrote"] == true).unwrap();
    let draws = agent.call("draws", &json!({ "trace": 1, "frame": 0 }));
    let draw = &draws["structuredContent"]["draws"][writer["draw"].as_u64().unwrap() as usize];
    assert_eq!((&draw["offset"], &draw["packet"]), (&writer["offset"], &writer["packet"]));
    let wrong = agent.call("image", &json!({ "trace": 1, "frame": 99 }));
    assert_eq!(wrong["isError"], true);
    assert!(wrong["content"][0]["text"].as_str().unwrap().contains("frame 99 does not exist"), "{wrong}");
    assert_eq!(agent.end(), Some(0));
}

fn calls_are_cancelled_and_those_that_are_too_long_are_refused() {
    let mut agent = Agent::start();
    agent.call("open", &json!({ "path": fixture("upload_between_draws") }));
    // However the race ends, the call that comes after is answered next, or after the cancelled one.
    let call = |id: u32| {
        let params = json!({ "name": "pixel", "arguments": { "trace": 1, "frame": 0, "x": 40, "y": 20 } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    agent.say(&call(70));
    agent.say(&call(71));
    agent.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":71}}"#);
    agent.say(&call(72));
    let mut answered = Vec::new();
    while answered.last() != Some(&json!(72)) {
        let answer = agent.answer();
        assert!(answer.get("error").is_none(), "{answer}");
        answered.push(answer["id"].clone());
    }
    assert!(answered.contains(&json!(70)), "{answered:?}");
    let text = "1e15,".repeat(1 << 20);
    agent.say(&format!(
        r#"{{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{{"name":"open","arguments":{{"path":[{}1]}}}}}}"#,
        text
    ));
    let refused = agent.answer();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("long"), &json!(-32600)), "{refused}");
    agent.say(&format!("[{},{}]", call(80), call(81)));
    assert_eq!([agent.answer(), agent.answer()].map(|answer| answer["id"].clone()), [json!(80), json!(81)]);
    assert_eq!(agent.end(), Some(0));
}

pub fn trials() -> Vec<Trial> {
    trials_of![
        a_client_shakes_hands_and_lists_the_tools,
        schemas_are_what_is_read,
        an_agent_finds_the_draw_that_made_a_pixel,
        calls_are_cancelled_and_those_that_are_too_long_are_refused,
    ]
}
