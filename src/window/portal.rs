//! Whether the desktop's XDG portal has a file chooser: one question over the session bus.
//!
//! ```text
//!  us                                            bus, portal
//!  \0 AUTH EXTERNAL, DATA, BEGIN        ──────►
//!                                       ◄──────  DATA, OK: we are who the socket says
//!  call 1: Hello                        ──────►
//!  call 2: Get FileChooser.version      ──────►  starts the portal if it is not running
//!                                       ◄──────  answer 1, signals
//!                                       ◄──────  answer 2: a value, or an error
//! ```
//!
//! (D-Bus specification, "Authentication protocol" and "Message format".) Whatever else comes, or nothing within
//! [`PATIENCE`], is a no.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Longest time that the portal may take to start and to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// A message that is longer is not the answer to so small a question.
const MOST_BYTES: u32 = 64 << 10;
/// A line of the authentication that is longer is none.
const MOST_LINE_BYTES: u64 = 1024;

const METHOD_CALL: u8 = 1;
const METHOD_RETURN: u8 = 2;
const ERROR: u8 = 3;

/// Whether there is a session bus, and a portal on it that has a file chooser.
pub(super) fn answers() -> bool {
    let answers = connect().and_then(|stream| has_file_chooser(stream, Instant::now() + PATIENCE));
    match answers {
        Ok(has_one) => has_one,
        Err(error) => {
            log::info!("the desktop's file dialog is not available: {error}");
            false
        }
    }
}

fn unexpected(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Connects to the session bus, where the environment says that it is.
fn connect() -> io::Result<UnixStream> {
    let stated = std::env::var("DBUS_SESSION_BUS_ADDRESS").ok();
    let usual = || std::env::var_os("XDG_RUNTIME_DIR").map(|folder| PathBuf::from(folder).join("bus"));
    let Some(addresses) = stated else {
        return UnixStream::connect(
            usual().ok_or_else(|| unexpected("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"))?,
        );
    };
    let mut tried = addresses.split(';').filter_map(|address| {
        let of_unix = address.strip_prefix("unix:")?;
        of_unix.split(',').find_map(connect_to)
    });
    tried.find_map(Result::ok).ok_or_else(|| unexpected("no session bus answers at DBUS_SESSION_BUS_ADDRESS"))
}

/// Connects to a socket that a part of an address names, if it names one.
fn connect_to(part: &str) -> Option<io::Result<UnixStream>> {
    if let Some(path) = part.strip_prefix("path=") {
        return Some(UnixStream::connect(unescaped(path)));
    }
    #[cfg(target_os = "linux")]
    if let Some(name) = part.strip_prefix("abstract=") {
        use std::os::linux::net::SocketAddrExt as _;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(unescaped(name));
        return Some(address.and_then(|address| UnixStream::connect_addr(&address)));
    }
    None
}

/// A value of an address: %2F stands for a slash.
fn unescaped(value: &str) -> String {
    let mut parts = value.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.split_at_checked(2).and_then(|(hex, rest)| Some((u8::from_str_radix(hex, 16).ok()?, rest))) {
            Some((byte, rest)) => {
                bytes.push(byte);
                bytes.extend(rest.bytes());
            }
            None => bytes.extend(part.bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Asks for the version of the file chooser.
fn has_file_chooser(stream: UnixStream, deadline: Instant) -> io::Result<bool> {
    let mut stream = Timed { stream, deadline };
    stream.write_all(b"\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n")?;
    stream.write_all(&call(1, "org.freedesktop.DBus", "/org/freedesktop/DBus", "Hello", &[]))?;
    let property = ["org.freedesktop.portal.FileChooser", "version"];
    stream.write_all(&call(
        2,
        "org.freedesktop.portal.Desktop",
        "/org/freedesktop/portal/desktop",
        "Get",
        &property,
    ))?;
    let mut answers = BufReader::new(stream);
    loop {
        let mut line = String::new();
        (&mut answers).take(MOST_LINE_BYTES).read_line(&mut line)?;
        match line.split_ascii_whitespace().next() {
            Some("DATA") => {}
            Some("OK") => break,
            _ => return Err(unexpected("the session bus refuses the connection")),
        }
    }
    // The bus answers in the order of the calls: first that we are there, then the portal's.
    match next_answer(&mut answers)? {
        METHOD_RETURN => Ok(next_answer(&mut answers)? == METHOD_RETURN),
        _ => Err(unexpected("the session bus refuses the connection")),
    }
}

/// The kind of the next message that is an answer.
fn next_answer(from: &mut impl Read) -> io::Result<u8> {
    loop {
        let mut start = [0; 16];
        from.read_exact(&mut start)?;
        let [order, kind, _, _, body @ .., f0, f1, f2, f3] = start;
        let [b0, b1, b2, b3, ..] = body;
        let number = |bytes| if order == b'l' { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
        let (body_bytes, field_bytes) = (number([b0, b1, b2, b3]), number([f0, f1, f2, f3]));
        if body_bytes > MOST_BYTES || field_bytes > MOST_BYTES {
            return Err(unexpected("the session bus sent a message with an invalid length"));
        }
        let rest = u64::from(field_bytes.next_multiple_of(8) + body_bytes);
        let passed = io::copy(&mut from.take(rest), &mut io::sink())?;
        if passed < rest {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if [METHOD_RETURN, ERROR].contains(&kind) {
            return Ok(kind);
        }
    }
}

/// A method call as bytes; its arguments are texts.
fn call(serial: u32, destination: &str, path: &str, member: &str, arguments: &[&str]) -> Vec<u8> {
    let interface = if arguments.is_empty() { destination } else { "org.freedesktop.DBus.Properties" };
    let mut fields = Vec::new();
    for (code, kind, value) in [(1, b'o', path), (2, b's', interface), (3, b's', member), (6, b's', destination)] {
        align(&mut fields, 8);
        fields.extend([code, 1, kind, 0]);
        put_text(&mut fields, value);
    }
    if !arguments.is_empty() {
        align(&mut fields, 8);
        // The signature of the body: a letter for each text, its length before it, a zero after it.
        fields.extend([8, 1, b'g', 0, arguments.len() as u8]);
        fields.extend(arguments.iter().map(|_| b's'));
        fields.push(0);
    }
    let mut body = Vec::new();
    arguments.iter().for_each(|argument| put_text(&mut body, argument));
    let mut message = vec![b'l', METHOD_CALL, 0, 1];
    for number in [body.len() as u32, serial, fields.len() as u32] {
        message.extend(number.to_le_bytes());
    }
    message.extend(fields);
    align(&mut message, 8);
    message.extend(body);
    message
}

fn align(bytes: &mut Vec<u8>, to: usize) {
    bytes.resize(bytes.len().next_multiple_of(to), 0);
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    align(bytes, 4);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.bytes());
    bytes.push(0);
}

/// A socket that is given up at a certain time.
struct Timed {
    stream: UnixStream,
    deadline: Instant,
}

impl Timed {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Timed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(into)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: [u8; 16] = [b'l', METHOD_RETURN, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];

    /// Answer of the question to a bus that sends `answers` once it has heard something, and then stays or goes.
    fn told(answers: Vec<u8>, stays: Duration, patience: Duration) -> io::Result<bool> {
        let (ours, mut bus) = UnixStream::pair().unwrap();
        let bus = std::thread::spawn(move || {
            let mut heard = [0; 64];
            let count = bus.read(&mut heard).unwrap();
            assert!(heard[..count].starts_with(b"\0AUTH EXTERNAL\r\n"));
            bus.write_all(&answers).unwrap();
            std::thread::sleep(stays);
        });
        let told = has_file_chooser(ours, Instant::now() + patience);
        bus.join().unwrap();
        told
    }

    fn answers_of(parts: &[&[u8]]) -> Vec<u8> {
        [&[&b"DATA\r\nOK 0123456789abcdef\r\n"[..], &HELLO], parts].concat().concat()
    }

    #[test]
    fn a_value_is_a_yes_and_everything_else_a_no() {
        let at_once = |answers| told(answers, Duration::ZERO, PATIENCE);
        let value: &[u8] = &[b'l', METHOD_RETURN, 0, 1, 8, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0];
        let rest: &[u8] = &[0; 16];
        let mut signal = HELLO;
        signal[1] = 4;
        let mut error = HELLO;
        error[1] = ERROR;
        assert!(at_once(answers_of(&[&signal, value, rest])).unwrap());
        // Of the other byte order.
        assert!(
            at_once(answers_of(&[&[b'B', METHOD_RETURN, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1], &[0; 9]])).unwrap()
        );
        assert!(!at_once(answers_of(&[&signal, &error])).unwrap());
        let mut long = HELLO;
        long[7] = 1;
        for answers in [
            b"REJECTED EXTERNAL\r\n".to_vec(),
            vec![b'x'; 4000],
            Vec::new(),
            answers_of(&[]),
            answers_of(&[value]),
            answers_of(&[&long]),
            [&b"OK 01\r\n"[..], &error].concat(),
        ] {
            at_once(answers).unwrap_err();
        }
    }

    #[test]
    fn a_portal_that_does_not_answer_is_not_waited_for() {
        let since = Instant::now();
        told(answers_of(&[]), Duration::from_millis(400), Duration::from_millis(100)).unwrap_err();
        assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    }

    #[test]
    fn messages_are_laid_out_as_the_specification_says() {
        let hello = call(1, "a.b", "/", "Hello", &[]);
        let fields: &[u8] = b"\x01\x01o\0\x01\0\0\0/\0\0\0\0\0\0\0\x02\x01s\0\x03\0\0\0a.b\0\0\0\0\0\
            \x03\x01s\0\x05\0\0\0Hello\0\0\0\x06\x01s\0\x03\0\0\0a.b\0";
        let start: &[u8] = &[b'l', 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 60, 0, 0, 0];
        assert_eq!(hello, [start, fields, &[0; 4]].concat());
        let get = call(2, "a.b", "/", "Get", &["x.y", "v"]);
        assert!(get.ends_with(b"\x03\0\0\0x.y\0\x01\0\0\0v\0") && get[4] == 14, "{get:?}");
    }

    #[test]
    fn addresses_are_read() {
        assert_eq!(unescaped("/run/user%2f1000/bus%20x%"), "/run/user/1000/bus x");
        assert!(connect_to("guid=00").is_none());
        assert!(connect_to("path=/nowhere/at/all").unwrap().is_err());
    }
}
