//! What is followed as it changes on the disk: the folder that shaders are taken from.

use std::sync::Arc;

use super::Inspector;
use super::action::Action;
use super::document::Document;
use super::edits::Edits;
use super::file_watch::FileWatch;
use super::promise::Promise;
use super::services::{Environment, Services};
use super::worker::Topic;
use crate::error::Severity;
use crate::replay::ShaderOptions;

/// A folder of shaders that is followed.
pub(super) struct FollowedShaders {
    watch: FileWatch,
    /// How shaders are made by now.
    read: Option<Promise<Result<ShaderOptions, String>>>,
}

impl FollowedShaders {
    /// Follows the folder, if there is one to follow.
    pub(crate) fn start(Environment { services, wake, .. }: &Environment) -> std::io::Result<Option<Self>> {
        let watch = services.followed_shaders().map(|folder| FileWatch::start(&folder, wake.clone()));
        Ok(watch.transpose()?.map(|watch| Self { watch, read: None }))
    }

    /// Reads the shaders again when they have changed; what they are then, once.
    fn advance(&mut self, document: &Document, services: &Arc<dyn Services>) -> Option<Result<ShaderOptions, String>> {
        if self.watch.take_change() {
            let (services, open) = (services.clone(), document.open.clone());
            let read = move |(): &mut (), _: &_| services.shaders(&open);
            self.read = Some(document.analysis_worker.ask(Topic::Shaders, "reloading the shaders", read));
        }
        let read = self.read.as_ref()?.get()?.clone();
        self.read = None;
        Some(read)
    }
}

impl Inspector {
    /// Takes over shaders that have changed on the disk, unless that would take away what is being written here.
    pub(super) fn follow_shaders(&mut self, actions: &mut Vec<Action>) {
        let Some(followed) = &mut self.followed else { return };
        let (session, services) = (&mut self.session, &self.environment.services);
        let message = match followed.advance(&session.document, services) {
            None => return,
            Some(Err(message)) => {
                session.shared.problems.add(Severity::Error, &message, None);
                message
            }
            Some(Ok(_)) if session.shared.edits.unsaved() > 0 => {
                "the shaders changed on disk: your edited shaders stay in use until you save or discard them".to_owned()
            }
            Some(Ok(options)) => {
                session.shared.edits = Edits::default();
                actions.push(Action::SetShaders(Box::new(options)));
                "the shaders were reloaded".to_owned()
            }
        };
        self.say(message);
    }
}
