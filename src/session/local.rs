//! A session whose pictures are drawn in the same process, by the same thread.

use std::collections::BTreeMap;
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
use crate::pixels::Size;
use crate::questions::{DrawingError, PixelBytes, Players, Question, TraceToDraw, TraceToPlay};

/// Open traces, and a device that draws them.
pub struct LocalSession {
    session: Session,
    players: Players,
    /// Each trace as the players have it.
    played: BTreeMap<u32, Arc<TraceToDraw>>,
    gpu: Arc<Gpu>,
    adapter: String,
    has_lost_device: bool,
    pixels: Option<PixelBytes>,
}

impl LocalSession {
    /// No trace is open. Traces are opened from `files`, and drawn on `gpu`.
    pub fn new(files: impl TraceFiles + Send + 'static, gpu: Arc<Gpu>) -> Self {
        let adapter = gpu.summary().to_string();
        let (session, players, played) = (Session::new(files), Players::default(), BTreeMap::new());
        Self { session, players, played, gpu, adapter, has_lost_device: false, pixels: None }
    }

    /// Answers a message of JSON-RPC 2.0; nothing if it holds notifications alone.
    pub fn answer(&mut self, message: &[u8]) -> Option<String> {
        let Parsed { items, is_batch } = parse_message(message);
        let mut answers = items.into_iter().filter_map(|item| match item {
            Item::Answered(answer) => Some(answer),
            Item::Request(Request { id, method, params }) => {
                let result = self.result(&method, params);
                id.map(|id| answer(id, result, None))
            }
        });
        match is_batch {
            true => {
                Some(answers.collect::<Vec<_>>()).filter(|all| !all.is_empty()).map(|all| Value::Array(all).to_string())
            }
            false => answers.next().map(|answer| answer.to_string()),
        }
    }

    /// Takes the pixels of the picture that was drawn last in the form `pixels`: four bytes each, row by row from the top. Here
    /// answers are without them.
    pub fn take_pixels(&mut self) -> Option<Vec<u8>> {
        self.pixels.take().map(|PixelBytes(bytes)| bytes)
    }

    /// Says that the device is of no more use: whoever runs this opens another.
    pub fn has_lost_device(&self) -> bool {
        self.has_lost_device
    }

    fn result(&mut self, method: &str, params: Value) -> Result<Value, SessionError> {
        let around = Around { adapter: Some(&self.adapter), is_given_up: &|| false };
        match self.session.dispatch(method, params, &around)? {
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
        let Self { players, played, gpu, .. } = self;
        let is_played = played.get(&trace).is_some_and(|played| Arc::ptr_eq(played, &known.to_draw));
        if !is_played {
            let [width_px, height_px] = known.to_draw.size_px;
            let (analysis, size) = (known.analysis.clone(), Size { width_px, height_px });
            players.play(trace, TraceToPlay { analysis, size, faults: known.to_draw.faults });
            played.insert(trace, known.to_draw.clone());
        }
        let reply = players.answer(trace, question.clone(), || Ok(gpu.clone()));
        self.has_lost_device |= reply.as_ref().is_err_and(DrawingError::loses_device);
        let mut reply = reply?;
        self.pixels = reply.take_pixels();
        reply_json(question, reply)
    }
}
