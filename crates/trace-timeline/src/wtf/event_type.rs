//! Event types, which a trace defines as it goes along.

use std::fmt;

use super::error::{Problem, WtfError};
use super::id_index::IdIndex;
use super::layout::{Form, Layout};
use super::signature::{Argument, SignatureFault, TypeSet, parse_signature};
use super::warning::{WarningClass, Warnings};

/// The number that stands for an event type in the records of a file. 1 is always `wtf.event#define`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WireId(pub u32);

impl fmt::Display for WireId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Position of a type in a [`TypeTable`]: the order of definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeIndex(pub u32);

/// Whether an event is a moment or opens a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventClass {
    /// Class 0: happens at one time.
    Instance = 0,
    /// Class 1: opens a scope, which `wtf.scope#leave` closes.
    Scope = 1,
}

/// The flag bits of an event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct EventFlags(pub u32);

impl EventFlags {
    /// Time spent here is the system's (a garbage collector), not the application's.
    pub const SYSTEM_TIME: Self = Self(4);
    /// Of no interest to users of the traced application.
    pub const INTERNAL: Self = Self(8);
    /// The arguments belong to the innermost open scope.
    pub const APPEND_SCOPE_DATA: Self = Self(16);
    /// The arguments after the first belong to the flow that the first one names.
    pub const APPEND_FLOW_DATA: Self = Self(64);
    /// Bits 1 to 6; the others mean nothing.
    const KNOWN: u32 = 0x7e;

    /// Whether all bits of `other` are set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The part that a type plays in a trace, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// `wtf.event#define`.
    Define,
    /// `wtf.zone#create`.
    ZoneCreate,
    /// `wtf.zone#delete`.
    ZoneDelete,
    /// `wtf.zone#set`.
    ZoneSet,
    /// `wtf.trace#discontinuity`: records were lost here.
    Discontinuity,
    /// `wtf.scope#enter`: a scope that is called what its argument `name` says.
    ScopeEnter,
    /// `wtf.scope#leave`.
    ScopeLeave,
    /// `wtf.scope#appendData`.
    ScopeAppend,
    /// `wtf.flow#branch`.
    FlowBranch,
    /// `wtf.flow#extend`.
    FlowExtend,
    /// `wtf.flow#terminate`.
    FlowTerminate,
    /// `wtf.flow#appendData`.
    FlowAppend,
    /// `wtf.trace#mark`: lasts until the next one of its zone.
    Mark,
    /// `wtf.trace#timeStamp`: an instant that is called what its argument `name` says.
    TimeStamp,
    /// `wtf.timeRange#begin`.
    RangeBegin,
    /// `wtf.timeRange#end`.
    RangeEnd,
    /// `wtf.timing#frameStart`.
    FrameStart,
    /// `wtf.timing#frameEnd`.
    FrameEnd,
    /// Any other.
    Plain,
}

impl Role {
    fn of(name: &str) -> Self {
        match name {
            "wtf.event#define" => Self::Define,
            "wtf.zone#create" => Self::ZoneCreate,
            "wtf.zone#delete" => Self::ZoneDelete,
            "wtf.zone#set" => Self::ZoneSet,
            "wtf.trace#discontinuity" => Self::Discontinuity,
            "wtf.scope#enter" => Self::ScopeEnter,
            "wtf.scope#leave" => Self::ScopeLeave,
            "wtf.scope#appendData" => Self::ScopeAppend,
            "wtf.flow#branch" => Self::FlowBranch,
            "wtf.flow#extend" => Self::FlowExtend,
            "wtf.flow#terminate" => Self::FlowTerminate,
            "wtf.flow#appendData" => Self::FlowAppend,
            "wtf.trace#mark" => Self::Mark,
            "wtf.trace#timeStamp" => Self::TimeStamp,
            "wtf.timeRange#begin" => Self::RangeBegin,
            "wtf.timeRange#end" => Self::RangeEnd,
            "wtf.timing#frameStart" => Self::FrameStart,
            "wtf.timing#frameEnd" => Self::FrameEnd,
            _ => Self::Plain,
        }
    }

    /// Whether records of this role set up the trace instead of telling what happened: definitions and zones. They
    /// belong to no zone, and their times mean little.
    pub fn is_bookkeeping(self) -> bool {
        matches!(self, Self::Define | Self::ZoneCreate | Self::ZoneDelete | Self::ZoneSet)
    }
}

/// One event type.
#[derive(Clone, Debug)]
pub struct EventType {
    /// Its number in records.
    pub wire: WireId,
    /// Moment or scope.
    pub class: EventClass,
    /// Flag bits.
    pub flags: EventFlags,
    /// `Namespace.Type#method` by convention; never empty.
    pub name: Box<str>,
    /// The arguments in order.
    pub arguments: Box<[Argument]>,
    /// The part it plays.
    pub role: Role,
    signature: Box<str>,
    packed: Layout,
    aligned: Layout,
}

impl EventType {
    /// The compiled size of its arguments.
    pub fn layout(&self, form: Form) -> &Layout {
        match form {
            Form::Packed => &self.packed,
            Form::Aligned => &self.aligned,
        }
    }

    fn is_defined_by(&self, from: &Definition) -> bool {
        self.class as i64 == from.class
            && self.flags.0 == from.flags
            && *self.name == *from.name
            && *self.signature == *from.signature
    }

    fn describe(&self) -> String {
        format!("{}({}) of class {}, flags {}", self.name, self.signature, self.class as i64, self.flags.0)
    }
}

/// What a `wtf.event#define` record says, before it is believed.
#[derive(Clone, Debug, Default)]
pub(super) struct Definition {
    pub wire: u32,
    pub class: i64,
    pub flags: u32,
    pub name: String,
    pub signature: String,
}

/// The types that are defined so far.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: Vec<EventType>,
    by_wire: IdIndex,
    set: TypeSet,
}

impl TypeTable {
    /// A table without types.
    pub(super) fn empty(set: TypeSet) -> Self {
        Self { types: Vec::new(), by_wire: IdIndex::default(), set }
    }

    /// A table that knows `wtf.event#define`, the one type that no file needs to define.
    pub(super) fn with_define(set: TypeSet) -> Result<Self, WtfError> {
        let mut table = Self::empty(set);
        let define = Definition {
            wire: 1,
            class: 0,
            flags: 40,
            name: "wtf.event#define".into(),
            signature: "uint16 wireId, uint16 eventClass, uint32 flags, ascii name, ascii args".into(),
        };
        table.define(&define, 0, &mut Warnings::default())?;
        Ok(table)
    }

    /// All types in the order of their definition.
    pub fn types(&self) -> &[EventType] {
        &self.types
    }

    /// The type at an index that this table gave out.
    pub fn get(&self, index: TypeIndex) -> Option<&EventType> {
        self.types.get(index.0 as usize)
    }

    /// The type that a wire id stands for.
    #[inline]
    pub fn find(&self, wire: WireId) -> Option<(TypeIndex, &EventType)> {
        let index = self.by_wire.get(wire.0)?;
        self.types.get(index as usize).map(|event_type| (TypeIndex(index), event_type))
    }

    /// Believes a definition, or says why not. Repeating a definition word for word is legal and changes nothing.
    pub(super) fn define(&mut self, from: &Definition, offset: u64, warnings: &mut Warnings) -> Result<(), WtfError> {
        let fail = |problem| Err(WtfError::new(offset, problem));
        let wire = from.wire;
        let known = self.find(WireId(wire)).map(|(_, known)| known);
        if known.is_some_and(|known| known.is_defined_by(from)) {
            return Ok(());
        }
        let class = match from.class {
            _ if wire == 0 => return fail(Problem::DefineReservedWire {}),
            _ if from.name.is_empty() => return fail(Problem::DefineEmptyName { wire }),
            0 => EventClass::Instance,
            1 => EventClass::Scope,
            found => return fail(Problem::DefineBadClass { wire, found }),
        };
        let arguments = match parse_signature(&from.signature, self.set) {
            Ok(arguments) => arguments,
            Err(SignatureFault::NotTypeAndName(found)) => return fail(Problem::DefineBadSignature { wire, found }),
            Err(SignatureFault::UnknownType(found)) => return fail(Problem::UnknownArgType { wire, found }),
        };
        let event_type = EventType {
            wire: WireId(wire),
            class,
            flags: EventFlags(from.flags),
            role: Role::of(&from.name),
            name: from.name.as_str().into(),
            signature: from.signature.as_str().into(),
            packed: Layout::compile(&arguments, Form::Packed),
            aligned: Layout::compile(&arguments, Form::Aligned),
            arguments: arguments.into(),
        };
        if let Some(known) = known {
            let (expected, found) = (known.describe(), event_type.describe());
            return fail(Problem::DefineConflict { wire, expected, found });
        }
        note_oddities(&event_type, offset, warnings);
        self.by_wire.insert(wire, self.types.len() as u32);
        self.types.push(event_type);
        Ok(())
    }
}

fn note_oddities(event_type: &EventType, offset: u64, warnings: &mut Warnings) {
    let unknown = event_type.flags.0 & !EventFlags::KNOWN;
    if unknown != 0 {
        let what =
            format!("expected flags within {:#x} for {}, found {unknown:#x}", EventFlags::KNOWN, event_type.name);
        warnings.note(WarningClass::DefineUnknownFlags, offset, what);
    }
    let mut names: Vec<_> = event_type.arguments.iter().map(|argument| &argument.name).collect();
    names.sort_unstable();
    if let Some([name, _]) = names.array_windows().find(|[a, b]| a == b) {
        let what = format!("expected different argument names for {}, found {name} twice", event_type.name);
        warnings.note(WarningClass::DefineDuplicateArg, offset, what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(wire: u32, name: &str, signature: &str) -> Definition {
        Definition { wire, name: name.into(), signature: signature.into(), ..Definition::default() }
    }

    #[test]
    fn repeats_are_legal_and_changes_are_not() {
        let mut table = TypeTable::with_define(TypeSet::Early).unwrap();
        let mut warnings = Warnings::default();
        let mut define = |definition| table.define(&definition, 7, &mut warnings).map_err(|error| error.class());
        assert_eq!(define(definition(2, "a", "uint8 x")), Ok(()));
        assert_eq!(define(definition(2, "a", "uint8 x")), Ok(()));
        assert_eq!(define(definition(2, "a", "uint8 y")), Err("define_conflict"));
        assert_eq!(define(definition(0, "a", "")), Err("define_reserved_wire"));
        assert_eq!(define(definition(3, "", "")), Err("define_empty_name"));
        assert_eq!(define(Definition { class: 2, ..definition(3, "a", "") }), Err("define_bad_class"));
        assert_eq!(define(definition(0xffff_fff0, "far", "")), Ok(()));
        assert_eq!(table.find(WireId(0xffff_fff0)).unwrap().1.name.as_ref(), "far");
        assert!(table.find(WireId(0)).is_none());
        assert_eq!(table.types().len(), 3);
    }

    #[test]
    fn oddities_are_noted() {
        let mut warnings = Warnings::default();
        let odd = Definition { flags: 1, ..definition(2, "a", "uint8 x, uint8 x") };
        TypeTable::empty(TypeSet::Late).define(&odd, 0, &mut warnings).unwrap();
        assert_eq!(warnings.names(), ["define_duplicate_arg", "define_unknown_flags"]);
    }
}
