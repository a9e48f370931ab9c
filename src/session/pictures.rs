//! The methods that draw: the questions that they are to the process that draws, and what is made of its replies.

use std::fmt;

use serde_json::{Map, Value, json};

use super::diagnostics::add_diagnostics;
use super::error::SessionError;
use super::params::{At, Edit, Hash, Image, Mesh, Overlay, Pixel, wrong};
use super::traces::OpenTrace;
use crate::command::{Place, Point, Shown};
use crate::limits::MAX_SERVED_ROWS;
use crate::questions::{Drawn, PictureForm, Question, Reply};

/// `seek`. Later requests mean the place as soon as it is known to exist; it is drawn in its turn.
pub(crate) fn seek(open: &mut OpenTrace, params: &At) -> Result<Question, SessionError> {
    let place = open.check_place(params.place_from(open.place))?;
    open.go_to(place);
    Ok(Question::Seek(place))
}

/// `hash`
pub(crate) fn hash(open: &OpenTrace, params: &Hash) -> Result<Question, SessionError> {
    Ok(Question::Hash(open.check_place(params.place_from(open.place))?, params.shown()))
}

/// `image`
pub(crate) fn image(open: &OpenTrace, params: Image) -> Result<Question, SessionError> {
    let (place, shown) = (open.check_place(params.place_from(open.place))?, params.shown());
    let form = match (params.path, params.form) {
        (Some(_), Some(_)) => {
            return Err(wrong("image", "the name of a file tells its form: expected path without form"));
        }
        (Some(path), None) => PictureForm::File(path.into()),
        (None, form) => form.unwrap_or_default().into(),
    };
    Ok(Question::Image(place, shown, form))
}

/// `pixel`
pub(crate) fn pixel(open: &OpenTrace, params: &Pixel) -> Result<Question, SessionError> {
    let place = open.check_place(params.place_from(open.place))?;
    Ok(Question::Pixel(place, params.shown(), [params.x, params.y]))
}

/// `overlay`
pub(crate) fn overlay(open: &OpenTrace, params: &Overlay) -> Result<Question, SessionError> {
    let place = open.check_place(params.place_from(open.place))?;
    Ok(Question::Overlay(place, params.shown(), params.kind, params.form.unwrap_or_default().into()))
}

/// `mesh`
pub(crate) fn mesh(open: &OpenTrace, params: &Mesh) -> Question {
    // Whole triangles.
    let first = params.first.unwrap_or(0) / 3;
    let count = params.count.unwrap_or(MAX_SERVED_ROWS).min(MAX_SERVED_ROWS).div_ceil(3);
    let instance = params.instance.unwrap_or(0);
    Question::Mesh { frame: open.frame(params.frame), draw: params.draw, instance, first, count }
}

/// `edit`
pub(crate) fn edit(open: &OpenTrace, params: Edit) -> Question {
    let place = params.place_from(open.place);
    Question::Edit { place, record_offset: params.record_offset, text: params.text }
}

/// What is answered.
pub(crate) fn reply_json(question: &Question, reply: Reply) -> Result<Value, SessionError> {
    Ok(match (question, reply) {
        (question, Reply::BehindFaults(reply, faults)) => {
            let mut answer = reply_json(question, *reply)?;
            if let Some(members) = answer.as_object_mut() {
                members.insert("faults".to_owned(), faults);
            }
            answer
        }
        (Question::Seek(..), Reply::Done) => Value::Object(place_json(question.place())),
        (Question::Hash(..), Reply::Drawn(drawn)) => Value::Object(picture_json(question, &drawn)),
        (Question::Image(_, _, form), Reply::Drawn(drawn)) => {
            let mut answer = picture_json(question, &drawn);
            if let PictureForm::File(path) = form {
                answer.insert("path".to_owned(), json!(path));
            }
            Value::Object(answer)
        }
        (Question::Pixel(..), Reply::History(events)) => json!({ "events": events }),
        (Question::Shaders(..), Reply::Answer(mut answer)) => {
            add_diagnostics(&mut answer);
            answer
        }
        (Question::Overlay(_, _, name, _), Reply::Overlaid(drawn, legend)) => {
            let mut answer = picture_json(question, &drawn);
            answer.extend([("kind".to_owned(), json!(name)), ("legend".to_owned(), json!(legend))]);
            Value::Object(answer)
        }
        (
            Question::Mesh { .. } | Question::State(..) | Question::Lint(_) | Question::Trim(_),
            Reply::Answer(answer),
        ) => answer,
        (Question::Edit { .. }, Reply::Tried { issues, remarks, is_used }) => {
            let mut answer = json!({ "issues": issues, "remarks": remarks });
            add_diagnostics(&mut answer);
            if issues.is_empty()
                && let Some(members) = answer.as_object_mut()
            {
                members.insert("is_used".to_owned(), json!(is_used));
            }
            answer
        }
        (question, _) => return Err(SessionError::OtherReply(question.clone())),
    })
}

fn picture_json(question: &Question, drawn: &Drawn) -> Map<String, Value> {
    let mut answer = place_json(question.place());
    let (present, scanout, target) = match question.shown() {
        Shown::Screen { scanout, present } => (present, scanout, None),
        Shown::Target(name) => (None, None, Some(name)),
    };
    answer.insert("present".to_owned(), json!(present));
    answer.insert("scanout".to_owned(), json!(scanout));
    answer.insert("target".to_owned(), json!(target));
    let [width, height] = drawn.size_px;
    answer.insert("width".to_owned(), json!(width));
    answer.insert("height".to_owned(), json!(height));
    answer.insert("sha256".to_owned(), json!(drawn.sha256));
    let forms =
        [("png", drawn.png.as_ref().map(|png| json!(png))), ("rgba", drawn.rgba.as_ref().map(|rgba| json!(rgba)))];
    answer.extend(forms.into_iter().filter_map(|(name, picture)| Some((name.to_owned(), picture?))));
    answer
}

fn place_json(place: Place) -> Map<String, Value> {
    let Place { frame, point } = place;
    let (draw, packet) = match point {
        Point::Draw(draw) => (Some(draw), None),
        Point::Packet(packet) => (None, Some(packet)),
        Point::Start | Point::End => (None, None),
    };
    let named = [("frame", json!(frame)), ("draw", json!(draw)), ("packet", json!(packet))];
    let fields = named.into_iter().chain([("place", json!(place.to_string()))]);
    fields.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A question in messages: "hash of frame 3, draw 7".
pub(crate) struct Named<'a>(pub &'a Question);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match self.0 {
            Question::Seek(..) => "seek to",
            Question::Hash(..) => "hash of",
            Question::Image(..) => "image of",
            Question::Pixel(..) => "pixel in",
            Question::Overlay(..) => "overlay of",
            Question::Lint(_) => return f.write_str("lint"),
            Question::Trim(_) => "trim up to",
            Question::Mesh { .. } => "mesh in",
            Question::Shaders(..) => "shaders of",
            Question::State(..) => "state at",
            Question::Edit { .. } => "edit in",
        };
        write!(f, "{method} {}{}", self.0.place().in_words(), self.0.shown().in_words())
    }
}
