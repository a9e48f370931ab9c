//! What becomes of the events of a type, decided once when the type is first met.

use crate::wtf::{Event, EventClass, EventFlags, EventType, Role};
use crate::{Builder, StringId};

/// What an event does to its zone. Fits a byte, so that an event that must wait for its turn stays small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Action {
    Enter,
    EnterSystem,
    EnterInternal,
    EnterSystemInternal,
    Leave,
    Append,
    Instant,
    InternalInstant,
    TimeStamp,
    Discontinuity,
    Mark,
    RangeBegin,
    RangeEnd,
    FrameStart,
    FrameEnd,
    FlowBranch,
    FlowExtend,
    FlowTerminate,
}

impl Action {
    /// All of them, by number.
    const ALL: [Self; 18] = [
        Self::Enter,
        Self::EnterSystem,
        Self::EnterInternal,
        Self::EnterSystemInternal,
        Self::Leave,
        Self::Append,
        Self::Instant,
        Self::InternalInstant,
        Self::TimeStamp,
        Self::Discontinuity,
        Self::Mark,
        Self::RangeBegin,
        Self::RangeEnd,
        Self::FrameStart,
        Self::FrameEnd,
        Self::FlowBranch,
        Self::FlowExtend,
        Self::FlowTerminate,
    ];

    /// The action of a number.
    pub(crate) fn of_code(code: u8) -> Self {
        Self::ALL.get(usize::from(code)).copied().unwrap_or(Self::Instant)
    }

    fn of(event_type: &EventType) -> Self {
        let flags = event_type.flags;
        let is_internal = flags.contains(EventFlags::INTERNAL);
        match event_type.role {
            Role::ScopeLeave => Self::Leave,
            Role::ScopeAppend => Self::Append,
            Role::FlowBranch => Self::FlowBranch,
            Role::FlowExtend | Role::FlowAppend => Self::FlowExtend,
            Role::FlowTerminate => Self::FlowTerminate,
            Role::Mark => Self::Mark,
            Role::TimeStamp => Self::TimeStamp,
            Role::RangeBegin => Self::RangeBegin,
            Role::RangeEnd => Self::RangeEnd,
            Role::FrameStart => Self::FrameStart,
            Role::FrameEnd => Self::FrameEnd,
            Role::Discontinuity => Self::Discontinuity,
            _ if event_type.class == EventClass::Scope => {
                match (flags.contains(EventFlags::SYSTEM_TIME), is_internal) {
                    (false, false) => Self::Enter,
                    (true, false) => Self::EnterSystem,
                    (false, true) => Self::EnterInternal,
                    (true, true) => Self::EnterSystemInternal,
                }
            }
            _ if flags.contains(EventFlags::APPEND_SCOPE_DATA) => Self::Append,
            _ if flags.contains(EventFlags::APPEND_FLOW_DATA) => Self::FlowExtend,
            _ if is_internal => Self::InternalInstant,
            _ => Self::Instant,
        }
    }

    /// Whether the event has an id or number that it is matched by.
    pub(crate) fn has_key(self) -> bool {
        matches!(
            self,
            Self::RangeBegin
                | Self::RangeEnd
                | Self::FrameStart
                | Self::FrameEnd
                | Self::FlowBranch
                | Self::FlowExtend
                | Self::FlowTerminate
        )
    }
}

/// What an event is matched by. No integer of the format has more than 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Key {
    /// Id of a range or flow, number of a frame.
    pub id: u32,
    /// The flow that a flow branches from.
    pub parent: u32,
}

impl Key {
    /// The key of an event: its first argument, and for a branch its second.
    pub(crate) fn of(action: Action, event: &Event<'_>) -> Self {
        let mut numbers = event.arguments().map(|(_, value)| value.as_integer().unwrap_or_default() as u32);
        let id = numbers.next().unwrap_or_default();
        let parent = if action == Action::FlowBranch { numbers.next().unwrap_or_default() } else { 0 };
        Self { id, parent }
    }
}

/// What becomes of the events of one type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub action: Action,
    /// The name of the type.
    name: StringId,
    is_named_by_argument: bool,
}

impl Plan {
    pub(crate) fn new(event_type: &EventType, builder: &mut Builder) -> Self {
        let is_named_by_argument = match event_type.role {
            Role::ScopeEnter
            | Role::TimeStamp
            | Role::Mark
            | Role::RangeBegin
            | Role::FlowBranch
            | Role::FlowExtend
            | Role::FlowAppend => event_type.arguments.iter().any(|argument| &*argument.name == "name"),
            _ => false,
        };
        let name = builder.intern(event_type.name.as_bytes());
        Self { action: Action::of(event_type), name, is_named_by_argument }
    }

    /// What an event is called. A name that is null or no text leaves the name of the type.
    #[inline]
    pub(crate) fn name_of(&self, event: &Event<'_>, builder: &mut Builder) -> StringId {
        if !self.is_named_by_argument {
            return self.name;
        }
        match event.argument("name").as_text() {
            Some(text) => builder.intern(text.to_str().as_bytes()),
            None => self.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_at_its_number() {
        for (code, &action) in Action::ALL.iter().enumerate() {
            assert_eq!((action as usize, Action::of_code(code as u8)), (code, action));
        }
    }
}
