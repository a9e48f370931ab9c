//! A session whose pictures are drawn in the same process, by the same thread.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use super::edits::{Edit, Known};
use super::error::SessionError;
use super::files::TraceFiles;
use super::message::{Item, Parsed, Request, answer, parse_message};
use super::pictures::reply_json;
use super::{Around, Dispatch, Session};
use crate::error::Internal;
use crate::gpu::Gpu;
use crate::limits::MAX_SERVED_PICTURE_BYTES;
use crate::pixels::Size;
use crate::questions::{BegunPicture, DrawingError, PixelBytes, Players, Question, Reply, TraceToDraw, TraceToPlay};

/// Open traces, and a device that draws them.
pub struct LocalSession {
    session: Session,
    players: Players,
    /// Each trace as the players have it.
    played: BTreeMap<u32, Arc<TraceToDraw>>,
    gpu: Arc<Gpu>,
    adapter: String,
    has_lost_device: bool,
    pixels: VecDeque<PixelBytes>,
}

impl LocalSession {
    /// No trace is open. Traces are opened from `files`, and drawn on `gpu`.
    pub fn new(files: impl TraceFiles + Send + 'static, gpu: Arc<Gpu>) -> Self {
        let adapter = gpu.summary().to_string();
        let (session, players, played) = (Session::new(files), Players::default(), BTreeMap::new());
        Self { session, players, played, gpu, adapter, has_lost_device: false, pixels: VecDeque::new() }
    }

    /// Answers a message of JSON-RPC 2.0; nothing if it holds notifications alone. Pictures that a batch asks for in a row are
    /// on their way together: others are drawn before the first is read back.
    pub fn answer(&mut self, message: &[u8]) -> Option<String> {
        let Parsed { items, is_batch } = parse_message(message);
        self.pixels.clear();
        let mut batch = Batch::default();
        for item in items {
            match item {
                Item::Answered(answer) => batch.answers.push(Some(answer)),
                Item::Request(request) => self.answer_in(&mut batch, request),
            }
        }
        self.finish_begun(&mut batch, 0);
        let mut answers = batch.answers.into_iter().flatten();
        match is_batch {
            true => {
                Some(answers.collect::<Vec<_>>()).filter(|all| !all.is_empty()).map(|all| Value::Array(all).to_string())
            }
            false => answers.next().map(|answer| answer.to_string()),
        }
    }

    /// Answers a request, or begins the picture that it asks for.
    fn answer_in(&mut self, batch: &mut Batch, Request { id, method, params }: Request) {
        let around = Around { adapter: Some(&self.adapter), is_given_up: &|| false };
        let result = match self.session.dispatch(&method, params, &around) {
            Ok(Dispatch::Ask(trace, question)) if question.is_picture() => {
                let most = batch.begun.back().filter(|last| last.goes_on_with(trace, &question));
                let most = most.map_or(0, |last| last.picture.most_pending() - 1);
                self.finish_begun(batch, most);
                match self.begin(trace, &question) {
                    Ok(picture) => {
                        let place = batch.answers.len();
                        batch.begun.push_back(BegunAnswer { place, id, trace, question, picture });
                        batch.answers.push(None);
                        return;
                    }
                    Err(error) => Err(error),
                }
            }
            dispatched => dispatched.and_then(|dispatched| {
                self.finish_begun(batch, 0);
                self.carry_out(dispatched)
            }),
        };
        // Behind an error nothing is asked before what was begun is done.
        self.finish_begun(batch, 0);
        batch.answers.push(id.map(|id| answer(id, result, None)));
    }

    /// Waits for pictures, those that were begun first, until only so many are on their way.
    fn finish_begun(&mut self, batch: &mut Batch, most: usize) {
        while batch.begun.len() > most
            && let Some(BegunAnswer { place, id, question, picture, .. }) = batch.begun.pop_front()
        {
            let reply = self.players.finish(&question, picture);
            let result = self.reply(&question, reply);
            let answered = id.map(|id| answer(id, result, None));
            if let Some(place) = batch.answers.get_mut(place) {
                *place = answered;
            }
        }
    }

    /// Takes the pixels of the first picture of the message answered last that was asked for in the form `pixels`, then those of
    /// the next: four bytes each, row by row from the top. Here answers are without them.
    pub fn take_pixels(&mut self) -> Option<Vec<u8>> {
        self.pixels.pop_front().map(|PixelBytes(bytes)| bytes)
    }

    /// Says that the device is of no more use: whoever runs this opens another.
    pub fn has_lost_device(&self) -> bool {
        self.has_lost_device
    }

    fn carry_out(&mut self, dispatched: Dispatch) -> Result<Value, SessionError> {
        match dispatched {
            Dispatch::Answer(answer) => Ok(answer),
            Dispatch::Closed(trace) => {
                self.players.forget(trace);
                self.played.remove(&trace);
                Ok(Value::Null)
            }
            Dispatch::Save(params) => {
                let (known, open) = (self.known(params.trace)?, self.session.open_files());
                known.save(&params, &open, &*self.session.files)
            }
            Dispatch::Ask(trace, question @ Question::Edit { .. }) => {
                let known = self.known(trace)?;
                let edit = Edit::of(self.session.version(trace)?, question);
                edit.carry_out(known, |known, question| self.ask(trace, known, question))
            }
            Dispatch::Ask(trace, question) => {
                let known = self.known(trace)?;
                self.ask(trace, &known, &question)
            }
        }
    }

    /// A trace as it is drawn. Edits are made at once here, so it is known.
    fn known(&mut self, trace: u32) -> Result<Known, SessionError> {
        let known = self.session.version(trace)?.get();
        Ok(known.ok_or(Internal::new("an edit was left half made"))?)
    }

    fn ask(&mut self, trace: u32, known: &Known, question: &Question) -> Result<Value, SessionError> {
        self.turn_to(trace, known);
        let reply = self.players.answer(trace, question.clone(), || Ok(self.gpu.clone()));
        self.reply(question, reply)
    }

    /// Begins the picture that a question asks for.
    fn begin(&mut self, trace: u32, question: &Question) -> Result<BegunPicture, SessionError> {
        let known = self.known(trace)?;
        self.turn_to(trace, &known);
        let begun = self.players.begin(trace, question, || Ok(self.gpu.clone()));
        self.has_lost_device |= begun.as_ref().is_err_and(DrawingError::loses_device);
        Ok(begun?)
    }

    /// Has the players play a trace as it is known.
    fn turn_to(&mut self, trace: u32, known: &Known) {
        let Self { players, played, .. } = self;
        let is_played = played.get(&trace).is_some_and(|played| Arc::ptr_eq(played, &known.to_draw));
        if !is_played {
            let [width_px, height_px] = known.to_draw.size_px;
            let (analysis, size) = (known.analysis.clone(), Size { width_px, height_px });
            players.play(trace, TraceToPlay { analysis, size, faults: known.to_draw.faults });
            played.insert(trace, known.to_draw.clone());
        }
    }

    /// The answer that a reply of the players is.
    fn reply(&mut self, question: &Question, reply: Result<Reply, DrawingError>) -> Result<Value, SessionError> {
        self.has_lost_device |= reply.as_ref().is_err_and(DrawingError::loses_device);
        let mut reply = reply?;
        self.pixels.extend(reply.take_pixels());
        let together: u64 = self.pixels.iter().map(|PixelBytes(bytes)| bytes.len() as u64).sum();
        if together > MAX_SERVED_PICTURE_BYTES {
            self.pixels.pop_back();
            return Err(DrawingError::PicturesTooLarge { limit: MAX_SERVED_PICTURE_BYTES }.into());
        }
        reply_json(question, reply)
    }
}

/// The answers of a message.
#[derive(Default)]
struct Batch {
    /// In the order of the requests: nothing of those that want none, or whose picture is on its way.
    answers: Vec<Option<Value>>,
    /// Pictures on their way, in the order of the requests.
    begun: VecDeque<BegunAnswer>,
}

/// A request whose picture is on its way.
struct BegunAnswer {
    /// Number of the request in its message.
    place: usize,
    id: Option<Value>,
    trace: u32,
    question: Question,
    picture: BegunPicture,
}

impl BegunAnswer {
    /// True if the picture may be drawn before this one is read back: turning to another trace or screen begins anew.
    fn goes_on_with(&self, trace: u32, question: &Question) -> bool {
        (self.trace, self.question.shown()) == (trace, question.shown())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::bytes::FileSource;
    use crate::gpu::{AdapterChoice, BackendChoice};
    use crate::session::OpenedFile;

    struct Files;

    impl TraceFiles for Files {
        fn open(&self, name: &str, _: &dyn Fn() -> bool) -> Result<OpenedFile, SessionError> {
            let source = FileSource::open(name.as_ref());
            let source = source.map_err(|error| SessionError::Open { path: name.to_owned(), error })?;
            Ok(OpenedFile { source: Arc::new(source), identity: None, state: None, warnings: Vec::new() })
        }
    }

    fn session() -> LocalSession {
        let gpu = Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(60)).unwrap();
        let mut session = LocalSession::new(Files, Arc::new(gpu));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/examples/courtyard.aerogputrace");
        let opened = ask(&mut session, &request(0, "open", json!({ "path": path })));
        assert_eq!(opened["result"]["frames"], 60, "{opened}");
        session
    }

    fn request(id: usize, method: &str, params: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
    }

    fn ask(session: &mut LocalSession, message: &Value) -> Value {
        serde_json::from_str(&session.answer(message.to_string().as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn a_batch_is_answered_in_its_order_as_its_requests_are() {
        let hash = |id, frame: u32| request(id, "hash", json!({ "trace": 1, "frame": frame }));
        let at = |id, draw: u32| request(id, "image", json!({ "trace": 1, "frame": 2, "draw": draw }));
        let mut batch: Vec<Value> = (0..20).map(|frame| hash(frame, frame as u32)).collect();
        batch.extend([
            hash(20, 99),
            request(21, "seek", json!({ "trace": 1, "frame": 7 })),
            request(22, "hash", json!({ "trace": 1 })),
            at(23, 3),
            request(24, "hash", json!({ "trace": 1, "frame": 5, "target": 1 })),
            hash(25, 4),
            request(26, "nonsense", json!({})),
            hash(27, 3),
        ]);
        let mut one_by_one = session();
        let expected: Vec<Value> = batch.iter().map(|request| ask(&mut one_by_one, request)).collect();
        assert!(expected[20]["error"].is_object() && expected[22]["result"]["frame"] == 7, "{expected:?}");
        // A notification is carried out, and has no answer.
        batch.insert(10, json!({ "jsonrpc": "2.0", "method": "hash", "params": { "trace": 1, "frame": 30 } }));
        assert_eq!(ask(&mut session(), &json!(batch)), json!(expected));
    }

    #[test]
    fn pixels_of_a_batch_are_limited_together() {
        let asked = |id| request(id, "image", json!({ "trace": 1, "frame": id % 60, "form": "pixels" }));
        let mut session = session();
        let answers = ask(&mut session, &json!((0..300).map(asked).collect::<Vec<_>>()));
        let size_bytes = 640 * 360 * 4;
        let most = MAX_SERVED_PICTURE_BYTES as usize / size_bytes;
        let (given, refused) = answers.as_array().unwrap().split_at(most);
        assert!(given.iter().all(|answer| answer["result"]["width"] == 640), "{given:?}");
        let words = "the pictures of one message are more than";
        assert!(refused.iter().all(|answer| answer["error"]["message"].as_str().unwrap().starts_with(words)));
        assert!(!refused.is_empty());
        let taken: Vec<usize> = std::iter::from_fn(|| session.take_pixels()).map(|pixels| pixels.len()).collect();
        assert_eq!(taken, vec![size_bytes; most]);
        ask(&mut session, &asked(0));
        assert_eq!(std::iter::from_fn(|| session.take_pixels()).count(), 1, "nothing is left of the message before");
    }
}
