//! Objects by their handles: which exist, and which are used.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::{Lint, LintRule};
use crate::command::{Backing, Command, Located, ResourceId};

/// A handle, by what it is unique among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Handle {
    Resource(u32),
    Shader(u32),
    Layout(u32),
    Sampler(u32),
}

impl Handle {
    pub(super) fn resource(id: ResourceId) -> Self {
        Self::Resource(id.number())
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource(handle) => write!(f, "resource {handle}"),
            Self::Shader(handle) => write!(f, "shader {handle}"),
            Self::Layout(handle) => write!(f, "layout {handle}"),
            Self::Sampler(handle) => write!(f, "sampler {handle}"),
        }
    }
}

/// An object that a handle names.
#[derive(Default)]
struct Object {
    created_at: u64,
    has_backing: bool,
    is_used: bool,
    /// The texture, of a view.
    texture: Option<u32>,
    /// In how many slots of all contexts it is bound.
    bound: u32,
}

/// Handles that name nothing and are told one by one.
const REMEMBERED_HANDLES: usize = 4096;

/// All objects of a trace.
#[derive(Default)]
pub(super) struct Handles {
    live: HashMap<Handle, Object>,
    /// Handles that were told to be unknown; each is told once.
    unknown: HashSet<Handle>,
    unused: Vec<(u64, Handle)>,
}

impl Handles {
    pub(super) fn create(&mut self, handle: Handle, offset: u64, backing: Option<Backing>) {
        self.unknown.remove(&handle);
        // Creating a live resource anew with the same properties binds its memory anew: it stays what it was.
        if let (Handle::Resource(_), Some(object)) = (handle, self.live.get_mut(&handle)) {
            object.has_backing = backing.is_some();
            return;
        }
        let object = Object { created_at: offset, has_backing: backing.is_some(), ..Object::default() };
        if let Some(replaced) = self.live.insert(handle, object) {
            self.end(handle, replaced);
        }
    }

    pub(super) fn create_view(&mut self, lint: &mut Lint, view: ResourceId, texture: ResourceId, offset: u64) {
        self.reference(lint, Handle::resource(texture), ("CREATE_TEXTURE_VIEW", offset));
        let object = Object { created_at: offset, texture: Some(texture.number()), ..Object::default() };
        if let Some(replaced) = self.live.insert(Handle::resource(view), object) {
            self.end(Handle::resource(view), replaced);
        }
    }

    /// A texture of another process: who uses it is not known here.
    pub(super) fn import(&mut self, handle: Handle, offset: u64) {
        self.create(handle, offset, None);
        // silent: what does not exist was told where it was named
        if let Some(object) = self.live.get_mut(&handle) {
            (object.has_backing, object.is_used) = (true, true);
        }
    }

    pub(super) fn destroy(&mut self, lint: &mut Lint, handle: Handle, command: &Located<Command>) {
        match self.live.remove(&handle) {
            Some(object) => self.end(handle, object),
            None => self.tell_unknown(lint, handle, (command.value.name(), command.at.offset)),
        }
    }

    fn end(&mut self, handle: Handle, object: Object) {
        if !object.is_used {
            self.unused.push((object.created_at, handle));
        }
    }

    pub(super) fn upload(&mut self, lint: &mut Lint, id: ResourceId, command: &Located<Command>) {
        let handle = Handle::resource(id);
        if !self.live.contains_key(&handle) {
            self.tell_unknown(lint, handle, (command.value.name(), command.at.offset));
        }
    }

    pub(super) fn refresh(&mut self, lint: &mut Lint, id: ResourceId, command: &Located<Command>) {
        let handle = Handle::resource(id);
        match self.live.get(&handle) {
            Some(object) if !object.has_backing => {
                lint.note_some(command.at.offset, LintRule::DirtyRangeWithoutBacking, || {
                    format!("{} of {handle}, which has no guest memory", command.value.name())
                });
            }
            Some(_) => {}
            None => self.tell_unknown(lint, handle, (command.value.name(), command.at.offset)),
        }
    }

    /// A command names the object to work with it.
    pub(super) fn used(&mut self, lint: &mut Lint, handle: Handle, command: &Located<Command>) {
        self.reference(lint, handle, (command.value.name(), command.at.offset));
    }

    fn reference(&mut self, lint: &mut Lint, handle: Handle, by: (&'static str, u64)) {
        let texture = match self.live.get_mut(&handle) {
            Some(object) => {
                object.is_used = true;
                object.texture
            }
            None => return self.tell_unknown(lint, handle, by),
        };
        // silent: a resource that is no view shows no other
        if let Some(texture) = texture.and_then(|texture| self.live.get_mut(&Handle::Resource(texture))) {
            texture.is_used = true;
        }
    }

    fn tell_unknown(&mut self, lint: &mut Lint, handle: Handle, (name, offset): (&'static str, u64)) {
        if self.unknown.len() < REMEMBERED_HANDLES && self.unknown.insert(handle) {
            let what = || format!("{name} names {handle}, which does not exist");
            lint.note_some(offset, LintRule::UnknownHandle, what);
        }
    }

    /// Whether what a handle names is what was bound when it was bound last.
    pub(super) fn is_bound_as_it_is(&self, handle: Handle) -> bool {
        self.live.get(&handle).is_some_and(|object| object.bound > 0)
    }

    pub(super) fn bind(&mut self, handle: Handle) {
        self.with_texture(handle, |object| object.bound += 1);
    }

    pub(super) fn unbind(&mut self, handle: Handle) {
        self.with_texture(handle, |object| object.bound = object.bound.saturating_sub(1));
    }

    /// Does something with an object, and with the texture that a view shows.
    fn with_texture(&mut self, handle: Handle, mut each: impl FnMut(&mut Object)) {
        // silent: what does not exist was told where it was named
        let Some(object) = self.live.get_mut(&handle) else { return };
        each(object);
        let texture = object.texture.and_then(|texture| self.live.get_mut(&Handle::Resource(texture)));
        texture.into_iter().for_each(each);
    }

    pub(super) fn finish(mut self, lint: &mut Lint) {
        for (handle, object) in std::mem::take(&mut self.live) {
            self.end(handle, object);
        }
        for (offset, handle) in self.unused {
            lint.note_some(offset, LintRule::UnusedObject, || format!("nothing uses {handle}"));
        }
    }
}
