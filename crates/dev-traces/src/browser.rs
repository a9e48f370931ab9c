//! A headless Chromium, driven through its DevTools protocol: JSON over a WebSocket on localhost.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// The browser's program, if there is one.
pub fn program() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// A page in a running browser.
pub struct Page {
    child: Child,
    socket: TcpStream,
    last_id: u64,
    /// Events of the page, as the protocol tells them.
    pub events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Page {
    /// Starts the browser with an empty page.
    pub fn open(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
        let mut command = Command::new(program);
        command.args(flags).args(["--remote-debugging-port=0", "--window-size=1280,900", "about:blank"]);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("DevTools listening on ws://")).expect("the browser starts");
        let port: u16 = line.split(':').nth(2).unwrap().split('/').next().unwrap().parse().unwrap();
        // The browser goes on talking, and must not stop at a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let socket = connect(port, &page_path(port));
        let mut page = Self { child, socket, last_id: 0, events: Vec::new(), _profile: profile };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page
    }

    /// Calls a method and waits for its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        send(&mut self.socket, &json!({ "id": self.last_id, "method": method, "params": params }).to_string());
        loop {
            let message: Value = serde_json::from_str(&receive(&mut self.socket)).unwrap();
            if message["id"] == self.last_id {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: &str) -> Value {
        let result = self.call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression has a value.
    pub fn wait_for(&mut self, expression: &str, value: &Value) {
        let deadline = Instant::now() + PATIENCE;
        while self.value(expression) != *value {
            let found = self.value(expression);
            assert!(Instant::now() < deadline, "{expression} is {found}: expected {value}; {:?}", self.events);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key that makes a character.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "text": key }));
        }
    }

    /// Moves the pointer.
    pub fn point_at(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of the first page's socket.
fn page_path(port: u16) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let pages: Value = serde_json::from_str(&get(port, "/json/list")).unwrap();
        let page = pages.as_array().unwrap().iter().find(|page| page["type"] == "page");
        if let Some(page) = page {
            let url = page["webSocketDebuggerUrl"].as_str().unwrap();
            return format!("/{}", url.splitn(4, '/').nth(3).unwrap());
        }
        assert!(Instant::now() < deadline, "the browser has no page: {pages}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn request(port: u16, path: &str, headers: &str) -> (TcpStream, String) {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(socket, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n").unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        socket.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    (socket, String::from_utf8(head).unwrap())
}

fn get(port: u16, path: &str) -> String {
    let (mut socket, head) = request(port, path, "");
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.expect("a length")];
    socket.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

fn connect(port: u16, path: &str) -> TcpStream {
    let headers = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    let (socket, head) = request(port, path, headers);
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    socket
}

/// Sends one text frame, masked with zeros as the protocol lets a client choose.
fn send(socket: &mut TcpStream, text: &str) {
    let mut frame = vec![0x81, 0xff];
    frame.extend((text.len() as u64).to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    socket.write_all(&frame).unwrap();
}

/// Receives one message, which may come in several frames.
fn receive(socket: &mut TcpStream) -> String {
    let mut message = Vec::new();
    loop {
        let mut head = [0; 2];
        socket.read_exact(&mut head).unwrap();
        let mut length = u64::from(head[1] & 0x7f);
        if length >= 126 {
            let mut bytes = [0; 8];
            let start = if length == 126 { 6 } else { 0 };
            socket.read_exact(&mut bytes[start..]).unwrap();
            length = u64::from_be_bytes(bytes);
        }
        let start = message.len();
        message.resize(start + length as usize, 0);
        socket.read_exact(&mut message[start..]).unwrap();
        match head[0] {
            // Ping and pong are not part of the message.
            0x89 | 0x8a => message.truncate(start),
            0x88 => panic!("the browser has closed the connection"),
            first if first & 0x80 != 0 => return String::from_utf8(message).unwrap(),
            _ => {}
        }
    }
}
