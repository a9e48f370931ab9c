//! Annotation files for the inspector: read on a thread that keeps them open, for arguments are decoded when somebody
//! looks at an event.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::args::CommonArgs;
use super::timeline::File;
use crate::inspector::Annotation;
use crate::inspector::timeline::LaneArguments;
use crate::timeline::{Argument, Method, RecordOffset, Timeline, UploadedBytes};

/// A question to the thread, and where the answer goes.
type Question = (RecordOffset, Sender<Result<Vec<Argument>, String>>);

/// Reads a file that is to be laid beside a trace. What is damaged is read as far as it goes.
pub(super) fn read_annotation(path: &Path, method: &Method) -> Result<Annotation, String> {
    let (answer, answers) = channel();
    let (questions, asked) = channel();
    let (path, compares_contents) = (path.to_owned(), method.compares_contents());
    let thread = std::thread::Builder::new().name("annotation".to_owned());
    let started = thread.spawn(move || serve((&path, compares_contents), &asked, |read| answer.send(read).is_ok()));
    started.map_err(|error| format!("cannot start a thread to read the file: {error}"))?;
    let Content { timeline, uploads, problem } =
        answers.recv().map_err(|_| "the thread that reads the file ended early".to_owned())??;
    let arguments = Arc::new(Asking { questions: Mutex::new(questions) });
    Ok(Annotation { timeline: Arc::new(timeline), uploads, arguments, problem })
}

/// What is read of a file at once.
struct Content {
    timeline: Timeline,
    /// Of its frames, if they are wanted.
    uploads: Vec<Vec<UploadedBytes>>,
    problem: Option<String>,
}

fn serve(
    (path, compares_contents): (&Path, bool),
    asked: &Receiver<Question>,
    tell: impl FnOnce(Result<Content, String>) -> bool,
) {
    let common = CommonArgs { verbose: 0, quiet: true, json: false, strict: false, keep_going: false };
    let file = match File::open(path, &common) {
        Ok(file) => file,
        Err(failure) => {
            tell(Err(failure.to_string()));
            return;
        }
    };
    let mut mapped = match file.map(&common) {
        Ok(mapped) => mapped,
        Err(failure) => {
            tell(Err(failure.to_string()));
            return;
        }
    };
    let problem =
        mapped.damage().map(|damage| format!("{}: {damage}; everything before the damage was read", file.name()));
    let uploads = if compares_contents { mapped.uploads() } else { Vec::new() };
    let timeline = mapped.timeline_mut().take();
    if !tell(Ok(Content { timeline, uploads, problem })) {
        return;
    }
    let mut source = mapped.arguments();
    // Ends when the lane is gone.
    for (record, answer) in asked {
        let mut arguments = Vec::new();
        let decoded = source.arguments(record, &mut arguments).map_err(|error| error.to_string());
        // Whoever asked may have gone.
        let _ = answer.send(decoded.map(|()| arguments));
    }
}

/// The other end of the thread.
struct Asking {
    questions: Mutex<Sender<Question>>,
}

impl LaneArguments for Asking {
    fn arguments(&self, record: RecordOffset) -> Result<Vec<Argument>, String> {
        let gone = || "the file is no longer open".to_owned();
        let (answer, answers) = channel();
        let questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        questions.send((record, answer)).map_err(|_| gone())?;
        drop(questions);
        answers.recv().map_err(|_| gone())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_are_read_where_they_are_compared() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/aerogpu/frames.aerogputrace");
        let compared = read_annotation(&path, &Method::Content).unwrap_or_else(|message| panic!("{message}"));
        let counted = read_annotation(&path, &Method::default()).unwrap_or_else(|message| panic!("{message}"));
        assert_eq!(compared.uploads.len(), compared.timeline.frames.len());
        assert!(compared.uploads.iter().any(|uploads| !uploads.is_empty()) && counted.uploads.is_empty());
    }
}
