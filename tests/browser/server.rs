//! A server of files on this machine, with ranges or without, which counts what it sends.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A server that sends files in ways that the first part of their address names.
///
/// | address | answer |
/// |---|---|
/// | `/page/…` | the page's own files |
/// | `/ranges/…` | 206 where a range is asked for |
/// | `/whole/…` | 200, whatever is asked for |
/// | `/encoded/…` | 206 of a part of the encoded file, 200 of all of it |
/// | `/changing/…` | 206, with another tag after the first time |
/// | `/endless/…` | 206 of a length that is not told, 200 else |
/// | `/refused/…` | 403 |
pub struct Server {
    pub address: SocketAddr,
    sent: Arc<AtomicU64>,
}

struct Files {
    page: PathBuf,
    root: PathBuf,
    /// Pages of other origins may read them.
    is_open: bool,
    sent: Arc<AtomicU64>,
    changes: AtomicUsize,
}

impl Server {
    /// Serves the page's folder, and the files below `root`.
    pub fn start(page: PathBuf, root: PathBuf, is_open: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, sent) = (listener.local_addr().unwrap(), Arc::<AtomicU64>::default());
        let files = Arc::new(Files { page, root, is_open, sent: sent.clone(), changes: AtomicUsize::new(0) });
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let files = files.clone();
                thread::spawn(move || files.serve(stream));
            }
        });
        Self { address, sent }
    }

    pub fn address_of(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Bytes of bodies so far.
    pub fn sent_bytes(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl Files {
    fn serve(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        while let Some((path, range)) = read_request(&mut lines) {
            let answer = self.answer(&path, range);
            // A browser may have gone away.
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
    }

    fn answer(&self, path: &str, range: Option<(u64, u64)>) -> Vec<u8> {
        let (kind, name) = path.trim_start_matches('/').split_once('/').unwrap_or(("", ""));
        let folder = if kind == "page" { &self.page } else { &self.root };
        let Ok(bytes) = fs::read(folder.join(name)) else { return head(404, &[], 0) };
        if kind == "refused" {
            return head(403, &[], 0);
        }
        let mut headers = vec![("Content-Type", content_type(name).to_owned())];
        if self.is_open {
            headers.push(("Access-Control-Allow-Origin", "*".to_owned()));
            headers.push(("Access-Control-Expose-Headers", "Content-Range, ETag".to_owned()));
        }
        if kind == "changing" {
            headers.push(("ETag", format!("\"{}\"", self.changes.fetch_add(1, Ordering::Relaxed))));
        }
        let bytes = match kind {
            "encoded" => gzip(&bytes),
            _ => bytes,
        };
        let size = bytes.len() as u64;
        if kind == "encoded" {
            headers.push(("Content-Encoding", "gzip".to_owned()));
        }
        let part = range.filter(|_| kind != "whole" && kind != "page");
        let (status, body) = match part {
            Some((first, last)) if first < size => {
                let last = last.min(size - 1);
                let total = if kind == "endless" { "*".to_owned() } else { size.to_string() };
                headers.push(("Content-Range", format!("bytes {first}-{last}/{total}")));
                (206, &bytes[first as usize..=last as usize])
            }
            Some(_) => (416, &bytes[..0]),
            None => (200, &bytes[..]),
        };
        self.sent.fetch_add(body.len() as u64, Ordering::Relaxed);
        let mut answer = head(status, &headers, body.len());
        answer.extend_from_slice(body);
        answer
    }
}

fn head(status: u16, headers: &[(&str, String)], length: usize) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} -\r\nContent-Length: {length}\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    (head + "\r\n").into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

/// The path of the next request, and the range that it asks for.
fn read_request(lines: &mut impl BufRead) -> Option<(String, Option<(u64, u64)>)> {
    let mut line = String::new();
    lines.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.split('?').next()?.to_owned();
    let (mut range, mut length) = (None, 0);
    loop {
        let mut header = String::new();
        lines.read_line(&mut header).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "range" => {
                let (first, last) = value.strip_prefix("bytes=")?.split_once('-')?;
                range = Some((first.parse().ok()?, last.parse().ok()?));
            }
            "content-length" => length = value.parse().ok()?,
            _ => {}
        }
    }
    std::io::copy(&mut lines.take(length), &mut std::io::sink()).ok()?;
    Some((path, range))
}
