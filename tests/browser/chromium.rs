//! A headless Chromium, driven through the pipe of its debugging protocol: messages of JSON, each ended by a zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(120);

/// Draws on SwiftShader, whatever GPU there is: by WebGPU through the browser's own Vulkan driver.
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan",
];

/// The browser reads commands from file 3 and answers in file 4.
const SCRIPT: &str = "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

pub struct Chromium {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    last_id: u64,
    _profile: TempDir,
}

/// A page of the browser.
#[derive(Clone)]
pub struct Page(String);

pub fn is_installed() -> bool {
    Command::new("chromium").arg("--version").output().is_ok_and(|output| output.status.success())
}

impl Chromium {
    pub fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "chromium"])
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (commands, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in messages_of(answers) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, commands, messages, last_id: 0, _profile: profile }
    }

    fn call(&mut self, page: Option<&Page>, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(Page(session)) = page {
            message["sessionId"] = json!(session);
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let answer = self.messages.recv_timeout(left).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == self.last_id {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// Opens an address, and waits until its script has run.
    pub fn open(&mut self, address: &str) -> Page {
        let target = self.call(None, "Target.createTarget", json!({ "url": address }));
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.call(None, "Target.attachToTarget", attached);
        let page = Page(session["sessionId"].as_str().unwrap().to_owned());
        self.wait_for(&page, "window.replayer !== undefined");
        page
    }

    /// The value of an expression, awaited if it is a promise.
    pub fn value(&mut self, page: &Page, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call(Some(page), "Runtime.evaluate", params);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Answer of the page's session, or the error's message and offset.
    pub fn ask(&mut self, page: &Page, method: &str, params: &Value) -> Result<Value, (String, Value)> {
        let asked = format!(
            "replayer.ask({}, {params}).then((ok) => ({{ ok }}), (error) => ({{ error: error.message, offset: error.offset }}))",
            json!(method)
        );
        let answer = self.value(page, &asked);
        match answer.get("ok") {
            Some(ok) => Ok(ok.clone()),
            None => Err((answer["error"].as_str().unwrap().to_owned(), answer["offset"].clone())),
        }
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, page: &Page, expression: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.value(page, expression) != json!(true) {
            assert!(Instant::now() < deadline, "it never came to {expression}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key, as a person does.
    pub fn press(&mut self, page: &Page, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(Some(page), "Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }

    /// Clicks in the middle of an element, as a person does.
    pub fn click(&mut self, page: &Page, element: &str) {
        let middle = format!(
            "(() => {{ const element = {element}; element.scrollIntoView({{ block: 'center' }}); \
             const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        );
        let at = self.value(page, &middle);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let event = json!({ "type": kind, "x": at[0], "y": at[1], "button": button, "clickCount": 1 });
            self.call(Some(page), "Input.dispatchMouseEvent", event);
        }
    }

    /// Drops files on the page, as a person does.
    pub fn drop_files(&mut self, page: &Page, files: &[&Path]) {
        let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            self.call(Some(page), "Input.dispatchDragEvent", json!({ "type": kind, "x": 200, "y": 200, "data": data }));
        }
    }

    /// Loads the page anew, and waits until its script has run.
    pub fn reload(&mut self, page: &Page) {
        self.value(page, "window.isOld = true");
        self.call(Some(page), "Page.reload", json!({}));
        self.wait_for(page, "window.isOld === undefined && window.replayer !== undefined");
    }

    /// Gives the page another size, in pixels.
    pub fn resize(&mut self, page: &Page, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call(Some(page), "Emulation.setDeviceMetricsOverride", size);
    }

    /// Ends the process that draws. The browser starts another one.
    pub fn crash_gpu(&mut self) {
        self.call(None, "Browser.crashGpuProcess", json!({}));
    }

    /// Types a text where the focus is.
    pub fn insert(&mut self, page: &Page, text: &str) {
        self.call(Some(page), "Input.insertText", json!({ "text": text }));
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn messages_of(answers: ChildStdout) -> impl Iterator<Item = Value> {
    BufReader::new(answers).split(0).map_while(Result::ok).map(|text| serde_json::from_slice(&text).unwrap())
}
