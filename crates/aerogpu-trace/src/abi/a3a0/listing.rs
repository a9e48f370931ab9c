//! Packets for people: fields by name, enumerations by the names of their values.

use std::borrow::Cow;

use super::bindings::{SetRenderState, SetSamplerState};
use super::check::RestPlace;
use super::layout::{DisplayFormat, Field, Layout, Member, Names, Rule, Shape, Spec};
use super::packet::RawPacket;
use super::shaders::BindShaders;
use super::stage::stage_of;
use super::table::Described;
use crate::abi::inputs::HandleSpace;
use crate::abi::{FieldValue, LISTED_ELEMENTS, ListedField};
use crate::command::{NumberedState, StateMeaning};

fn named(name: impl Into<Cow<'static, str>>, number: u64) -> FieldValue {
    FieldValue::Named { name: name.into(), number }
}

fn listed(spec: Spec, value: u64) -> FieldValue {
    if let Rule::OneOf(values) = spec.rule
        && let Some(name) = values.name(value as u32)
    {
        return named(name, value);
    }
    match spec.display {
        DisplayFormat::Decimal | DisplayFormat::Numbered => FieldValue::Number(value),
        DisplayFormat::Signed => FieldValue::Signed(value as u32 as i32),
        DisplayFormat::Hex | DisplayFormat::Padding => FieldValue::Hex(value),
        DisplayFormat::Float => FieldValue::Float(f32::from_bits(value as u32)),
    }
}

/// The name of the elements' handles where they are of buffers.
const BUFFERS: &str = "buffers";

/// What the elements that a packet carries are called together, and how many of their members are listed.
fn carried(layout: &Layout) -> Option<(&'static str, usize)> {
    let Shape::Elements { members, .. } = layout.rest?.shape else { return None };
    match members.first()?.spec.names {
        Some(Names::Handle(HandleSpace::Resource)) => Some((BUFFERS, 1)),
        Some(Names::Handle(HandleSpace::Sampler)) => Some(("samplers", 1)),
        Some(_) => None,
        None => Some(("values", members.len())),
    }
}

/// The states of which a packet sets one, if it sets one that Direct3D 9 numbers.
fn states_of(layout: &Layout) -> Option<&'static [NumberedState]> {
    if layout.opcode == SetRenderState::LAYOUT.opcode {
        return Some(NumberedState::render_states());
    }
    (layout.opcode == SetSamplerState::LAYOUT.opcode).then(NumberedState::sampler_states)
}

/// Names the state that a packet sets, and its value. Those that Direct3D 9 does not define stay numbers.
fn name_state(states: &'static [NumberedState], fields: &mut [ListedField]) {
    let [.., ("state", state), ("value", value)] = fields else { return };
    let (FieldValue::Number(number), FieldValue::Hex(bits)) = (&*state, &*value) else { return };
    let Some(known) = NumberedState::find(states, *number as u32) else { return };
    let value_name = known.name_of(*bits as u32);
    *value = match (known.meaning, value_name) {
        (_, Some(name)) => named(name, *bits),
        (StateMeaning::Float, None) => FieldValue::Float(f32::from_bits(*bits as u32)),
        (StateMeaning::Color | StateMeaning::Samples | StateMeaning::Bits, None) => FieldValue::Hex(*bits),
        (_, None) => FieldValue::Number(*bits),
    };
    *state = named(known.name, *number);
}

impl RawPacket<'_> {
    /// The fields of fixed length of a packet that decodes, in a stream of ABI version 1.`minor`. Those that the packet
    /// ends before are left out.
    pub fn list_fields(&self, layout: &Layout, minor: u16) -> Vec<ListedField> {
        let mut fields = Vec::new();
        for (at, field) in layout.fields_in(self.size_bytes()) {
            match field.name {
                "appended" => {}
                _ => fields.push((field.name, self.list_field(at, field, layout, minor))),
            }
        }
        if let Some(states) = states_of(layout) {
            name_state(states, &mut fields);
        }
        fields.extend(self.list_bound(layout));
        if layout.opcode == BindShaders::LAYOUT.opcode
            && let Ok((bound, tail)) = BindShaders::parse(self.bytes)
        {
            let later = bound.later_stages(tail.len());
            fields
                .extend(["gs", "hs", "ds"].into_iter().zip(later.map(|handle| FieldValue::Number(u64::from(handle)))));
        }
        fields
    }

    /// The handles that a packet binds to slots in a row, or the values of its registers. More of them than a line shows, and
    /// than there are slots, are only among the packet's elements.
    fn list_bound(&self, layout: &Layout) -> Option<ListedField> {
        let (name, count) = carried(layout)?;
        if self.list_elements(layout).nth(LISTED_ELEMENTS).is_some() {
            return None;
        }
        // The slot or register stands first.
        let values = self
            .list_elements(layout)
            .flat_map(|(_, fields)| fields.into_iter().skip(1).take(count).map(|(_, value)| value));
        let values: Vec<FieldValue> = values.collect();
        let numbers = values.iter().map(|value| match value {
            FieldValue::Number(number) => u32::try_from(*number).ok(),
            _ => None,
        });
        let handles: Option<Vec<u32>> = numbers.collect();
        Some((name, handles.map_or(FieldValue::List(values), FieldValue::Numbers)))
    }

    /// Names of the fields that hold handles of resources and views.
    pub fn resource_fields(layout: &Layout) -> impl Iterator<Item = &'static str> {
        let is_resource = |field: &&Field| field.spec.names == Some(Names::Handle(HandleSpace::Resource));
        let carried = carried(layout).map(|(name, _)| name).filter(|name| *name == BUFFERS);
        layout.fields.iter().filter(is_resource).map(|field| field.name).chain(carried)
    }

    fn list_field(&self, at: u32, field: &Field, layout: &Layout, minor: u16) -> FieldValue {
        let value = self.number_at(at, field.size_bytes);
        match (field.spec.display, field.spec.rule) {
            (DisplayFormat::Numbered, _) => {
                let places = (0..field.size_bytes / 4).map(|index| self.number_at(at + 4 * index, 4) as u32);
                FieldValue::Numbers(places.collect())
            }
            (_, Rule::Stage) => {
                let stage_ex = layout.field("stage_ex").map_or(0, |(at, _)| self.number_at(at, 4) as u32);
                let stage = stage_of(value as u32, stage_ex, minor);
                stage.map_or(FieldValue::Number(value), |stage| named(stage.direct3d_name(), value))
            }
            _ => listed(field.spec, value),
        }
    }

    /// The elements that a packet which decodes carries, each with its place in the packet. None if it carries anything
    /// else.
    pub fn list_elements(&self, layout: &Layout) -> impl Iterator<Item = (u32, Vec<ListedField>)> {
        let (place, members) = match (RestPlace::of(self, layout), layout.rest.map(|rest| rest.shape)) {
            (Some(place), Some(Shape::Elements { members, .. })) => (Some(place), members),
            _ => (None, &[] as &'static [Member]),
        };
        let size_bytes = 4 * members.len() as u32;
        // The slot or register that the first is for.
        let first = layout.fields.iter().zip(layout.fields_in(u32::MAX)).find_map(|(field, (at, _))| {
            let what = field.name.strip_prefix("start_")?;
            Some((what, self.number_at(at, field.size_bytes)))
        });
        let (what, start) = first.unwrap_or(("index", 0));
        let places =
            place.map(|place| (place.start..place.start + place.size_bytes).step_by(size_bytes.max(1) as usize));
        places.into_iter().flatten().zip(start..).map(move |(at, index)| {
            let place = (what, FieldValue::Number(index));
            let member = |(member, at): (&Member, u32)| (member.name, listed(member.spec, self.number_at(at, 4)));
            let members = members.iter().zip((at..).step_by(4)).map(member);
            (at, [place].into_iter().chain(members).collect())
        })
    }
}
