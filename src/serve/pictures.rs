//! The methods that draw: the questions that they are to the process that draws, and what is made of its replies.

use std::fmt;

use serde_json::{Map, Value, json};

use super::error::ServeError;
use super::params::{At, Edit, Image, Mesh, Pixel, Place};
use super::traces::OpenTrace;
use crate::bytes::limits::MAX_SERVED_ROWS;
use crate::format::aerogpu::FrameIndex;
use crate::player::Until;
use crate::worker::{Drawn, Question, Reply};

/// `seek`. Later requests mean the place as soon as it is known to exist; it is drawn in its turn.
pub(super) fn seek(open: &mut OpenTrace, params: &Place) -> Result<Question, ServeError> {
    let (frame, until) = open.place_of(params.at())?;
    open.go_to(frame, until);
    Ok(Question::Seek(frame, until))
}

/// `hash`
pub(super) fn hash(open: &OpenTrace, params: &Place) -> Result<Question, ServeError> {
    let (frame, until) = open.place_of(params.at())?;
    Ok(Question::Hash(frame, until))
}

/// `image`
pub(super) fn image(open: &OpenTrace, params: Image) -> Result<Question, ServeError> {
    let (frame, until) = open.place_of(params.at())?;
    Ok(Question::Image(frame, until, params.path.map(Into::into)))
}

/// `pixel`
pub(super) fn pixel(open: &OpenTrace, params: &Pixel) -> Result<Question, ServeError> {
    let (frame, until) = open.place_of(params.at())?;
    Ok(Question::Pixel(frame, until, [params.x, params.y]))
}

/// `mesh`
pub(super) fn mesh(open: &OpenTrace, params: &Mesh) -> Question {
    let (frame, _) = open.until(At { frame: params.frame, ..At::default() });
    // Whole triangles.
    let first = params.first.unwrap_or(0) / 3;
    let count = params.count.unwrap_or(MAX_SERVED_ROWS).min(MAX_SERVED_ROWS).div_ceil(3);
    Question::Mesh { frame, draw: params.draw, first, count }
}

/// `edit`
pub(super) fn edit(open: &OpenTrace, params: Edit) -> Question {
    let (frame, until) = open.until(params.at());
    Question::Edit { frame, until, record_offset: params.record_offset, text: params.text }
}

/// What is answered.
pub(super) fn reply_json(question: &Question, reply: Reply) -> Result<Value, ServeError> {
    Ok(match (question, reply) {
        (Question::Seek(..), Reply::Done) => Value::Object(place_json(question.place())),
        (Question::Hash(..), Reply::Drawn(drawn)) => Value::Object(picture_json(question, &drawn)),
        (Question::Image(_, _, path), Reply::Drawn(drawn)) => {
            let mut answer = picture_json(question, &drawn);
            match (path, drawn.png) {
                (Some(path), _) => answer.insert("path".to_owned(), json!(path)),
                (None, png) => answer.insert("png".to_owned(), json!(png)),
            };
            Value::Object(answer)
        }
        (Question::Pixel(..), Reply::History(events)) => json!({ "events": events }),
        (Question::Mesh { .. }, Reply::Mesh(mesh)) => mesh,
        (Question::Shaders(..), Reply::Shaders(shaders)) => shaders,
        (Question::Edit { .. }, Reply::Tried { issues, is_used }) => match issues.is_empty() {
            true => json!({ "issues": [], "is_used": is_used }),
            false => json!({ "issues": issues }),
        },
        (question, _) => return Err(ServeError::OtherReply(question.clone())),
    })
}

fn picture_json(question: &Question, drawn: &Drawn) -> Map<String, Value> {
    let mut answer = place_json(question.place());
    let [width, height] = drawn.size_px;
    answer.insert("width".to_owned(), json!(width));
    answer.insert("height".to_owned(), json!(height));
    answer.insert("sha256".to_owned(), json!(drawn.sha256));
    answer
}

fn place_json((frame, until): (FrameIndex, Until)) -> Map<String, Value> {
    let (draw, packet) = match until {
        Until::AfterDraw(draw) => (Some(draw), None),
        Until::AfterPacket(packet) => (None, Some(packet)),
        Until::EndOfFrame => (None, None),
    };
    let fields = [("frame", json!(frame)), ("draw", json!(draw)), ("packet", json!(packet))];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A question in messages: "hash of frame 3, draw 7".
pub(super) struct Named<'a>(pub &'a Question);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match self.0 {
            Question::Seek(..) => "seek to",
            Question::Hash(..) => "hash of",
            Question::Image(..) => "image of",
            Question::Pixel(..) => "pixel in",
            Question::Mesh { .. } => "mesh in",
            Question::Shaders(..) => "shaders of",
            Question::Edit { .. } => "edit in",
        };
        let (frame, until) = self.0.place();
        write!(f, "{method} frame {frame}")?;
        match until {
            Until::AfterDraw(draw) => write!(f, ", draw {draw}"),
            Until::AfterPacket(packet) => write!(f, ", packet {packet}"),
            Until::EndOfFrame => Ok(()),
        }
    }
}
