//! The lines that a worker writes, each waited for no longer than it may take.
//!
//! On Unix whoever waits reads them itself: a thread between would cost a small picture as much as drawing it.

use std::io;
use std::process::ChildStdout;
use std::time::Duration;

/// What came.
pub(super) enum NextLine {
    /// A line, without its end.
    Line(Vec<u8>),
    /// Nothing in that time.
    Nothing,
    /// Nothing ever again.
    End,
}

/// Lines of a worker's stdout.
#[cfg(unix)]
pub(super) struct OutputLines {
    stdout: ChildStdout,
    /// What was read and is yet to be given.
    bytes: Vec<u8>,
    /// So many of them are known to hold no end of a line.
    searched: usize,
}

#[cfg(unix)]
impl OutputLines {
    pub(crate) fn new(stdout: ChildStdout) -> io::Result<Self> {
        Ok(Self { stdout, bytes: Vec::new(), searched: 0 })
    }

    /// The next line, if it comes in time.
    pub(crate) fn next(&mut self, time: Duration) -> NextLine {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let deadline = std::time::Instant::now() + time;
        loop {
            if let Some(line) = self.take_line() {
                return NextLine::Line(line);
            }
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            let timeout = Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos() as _ };
            let mut ends = [PollFd::new(&self.stdout, PollFlags::IN)];
            match poll(&mut ends, Some(&timeout)) {
                Ok(0) => return NextLine::Nothing,
                Ok(_) if self.read_some() => {}
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => return NextLine::End,
            }
        }
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let unsearched = self.bytes.get(self.searched..).unwrap_or_default();
        let Some(end) = unsearched.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.bytes.len();
            return None;
        };
        let rest = self.bytes.split_off(self.searched + end + 1);
        let mut line = std::mem::replace(&mut self.bytes, rest);
        line.pop();
        self.searched = 0;
        Some(line)
    }

    /// Whether there was something.
    fn read_some(&mut self) -> bool {
        use std::io::Read;
        let mut chunk = [0; 16 << 10];
        match self.stdout.read(&mut chunk) {
            Ok(0) => false,
            Ok(count) => {
                self.bytes.extend_from_slice(chunk.get(..count).unwrap_or_default());
                true
            }
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        }
    }
}

/// Lines of a worker's stdout.
#[cfg(not(unix))]
pub(super) struct OutputLines(std::sync::mpsc::Receiver<Vec<u8>>);

#[cfg(not(unix))]
impl OutputLines {
    pub(super) fn new(stdout: ChildStdout) -> io::Result<Self> {
        use std::io::BufRead;
        let (sender, lines) = std::sync::mpsc::channel();
        let read = move || {
            for line in io::BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("answers".to_owned()).spawn(read)?;
        Ok(Self(lines))
    }

    /// The next line, if it comes in time.
    pub(super) fn next(&mut self, time: Duration) -> NextLine {
        use std::sync::mpsc::RecvTimeoutError;
        match self.0.recv_timeout(time) {
            Ok(line) => NextLine::Line(line),
            Err(RecvTimeoutError::Timeout) => NextLine::Nothing,
            Err(RecvTimeoutError::Disconnected) => NextLine::End,
        }
    }
}
