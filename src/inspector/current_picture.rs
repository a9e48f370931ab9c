//! The picture of the current place. The newest one stays while the next one is made, and when that has an error.

use std::sync::Arc;

use super::document::Document;
use super::player_worker::Rendered;
use super::promise::Promise;
use super::question::{DependsOn, Epoch};
use crate::command::Place;
use crate::pixels::Picture;

/// What is asked of the player, and what it has answered.
#[derive(Default)]
pub(super) struct CurrentPicture {
    asked: Option<(Epoch, Place, Promise<Rendered>)>,
    /// The newest answer.
    answer: Option<(Epoch, Rendered)>,
    /// The newest picture.
    picture: Option<Arc<Picture>>,
}

impl CurrentPicture {
    /// Asks for the picture of `place`, unless that is what is shown or being made.
    pub(crate) fn ask(&mut self, document: &Document, place: Place) {
        let epoch = document.epoch(DependsOn::Shaders);
        let is_known = match &self.asked {
            Some((asked_in, asked_for, _)) => (*asked_in, *asked_for) == (epoch, place),
            None => self.answer(document).is_some_and(|answer| answer.place == place),
        };
        if !is_known {
            self.asked = Some((epoch, place, document.player_worker.show(place)));
        }
    }

    /// Whether a picture is being made.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Takes what was asked for, once it is there.
    pub(crate) fn take_answer(&mut self) -> Option<&Rendered> {
        let (epoch, _, promise) = self.asked.as_ref()?;
        let answer = (*epoch, promise.get()?.clone());
        self.asked = None;
        if let Ok(picture) = &answer.1.picture {
            self.picture = Some(picture.clone());
        }
        let (_, rendered) = self.answer.insert(answer);
        Some(rendered)
    }

    /// The newest answer, if nothing has changed since that it depends on.
    pub(crate) fn answer(&self, document: &Document) -> Option<&Rendered> {
        let (epoch, answer) = self.answer.as_ref()?;
        (*epoch == document.epoch(DependsOn::Shaders)).then_some(answer)
    }

    /// The newest picture, whatever it is of.
    pub(crate) fn newest(&self) -> Option<&Arc<Picture>> {
        self.picture.as_ref()
    }
}
