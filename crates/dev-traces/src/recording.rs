//! Recordings of applications: scopes and frames on a clock.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// A recording of an application in `folder`: by frame the lengths of its scopes, one after the other, in ms.
pub fn recording(folder: &Path, name: &str, frames: &[&[(&str, u32)]]) -> String {
    let mut entries = vec![
        serde_json::json!({"type": "wtf.json#header", "format_version": 2, "timebase": 0}),
        serde_json::json!({"event": "wtf.zone#create", "time": 0, "args": [1, "main", "script", ""]}),
        serde_json::json!({"event": "wtf.zone#set", "time": 0, "args": [1]}),
    ];
    let mut at = 0;
    let mut event = |name: &str, at: u32, args: Value| {
        entries.push(serde_json::json!({"event": name, "time": at, "args": args}));
    };
    for (number, scopes) in (7..).zip(frames) {
        event("wtf.timing#frameStart", at, serde_json::json!([number]));
        event("wtf.scope#enter", at, serde_json::json!(["tick"]));
        for (name, length) in *scopes {
            event("wtf.scope#enter", at, serde_json::json!([name]));
            at += length;
            event("wtf.scope#leave", at, serde_json::json!([]));
        }
        event("wtf.scope#leave", at, serde_json::json!([]));
        event("wtf.timing#frameEnd", at, serde_json::json!([number]));
    }
    let path = folder.join(name);
    fs::write(&path, serde_json::to_vec(&entries).unwrap()).unwrap();
    path.display().to_string()
}
