//! What is odd about a packet that can be read, by its table.

use super::diagnostic::{Class, Diagnostic, Severity};
use super::enumerations::tight_row_bytes;
use super::layout::{Field, Layout, Rule, Shape};
use super::packet::RawPacket;
use super::rest::BoolForm;
use super::shader_code::ShaderCode;
use super::stage::Stage;
use super::vertex_declaration::VertexDeclaration;

/// Where a packet's variable part lies in the packet, and how much of it there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestPlace {
    /// Its first byte.
    pub start: u32,
    /// What the field that counts it says.
    pub count: u64,
    /// Its length in bytes.
    pub size_bytes: u32,
    /// Its length with the bytes that fill up a dword.
    pub padded_bytes: u32,
    /// The form of flags; nothing for anything else.
    pub form: Option<BoolForm>,
}

impl RestPlace {
    /// The variable part of a packet that decodes; nothing if its opcode has none.
    pub fn of(packet: &RawPacket<'_>, layout: &Layout) -> Option<Self> {
        let rest = layout.rest?;
        let (start, left) = (layout.fixed_bytes(), packet.size_bytes().saturating_sub(layout.fixed_bytes()));
        let count = match rest.counted_by.and_then(|field| layout.field(field)) {
            Some((at, field)) => packet.number_at(at, field.size_bytes),
            None => u64::from(left),
        };
        let form = match rest.shape {
            Shape::Bools => Some(BoolForm::of(count, u64::from(left))?),
            _ => None,
        };
        let each = match rest.shape {
            Shape::Bytes | Shape::Text => 1,
            Shape::Elements { size_bytes, .. } => size_bytes,
            Shape::Bools => form?.size_bytes(),
        };
        let size_bytes = u32::try_from(count.checked_mul(u64::from(each))?).ok()?;
        Some(Self { start, count, size_bytes, padded_bytes: size_bytes.checked_next_multiple_of(4)?, form })
    }

    /// Its bytes.
    pub fn bytes<'a>(&self, packet: &RawPacket<'a>) -> &'a [u8] {
        let rest = packet.bytes.get(self.start as usize..).unwrap_or_default();
        rest.get(..self.size_bytes as usize).unwrap_or_default()
    }

    /// The bytes that fill up its last dword.
    pub fn padding<'a>(&self, packet: &RawPacket<'a>) -> &'a [u8] {
        let range = (self.start + self.size_bytes) as usize..(self.start + self.padded_bytes) as usize;
        packet.bytes.get(range).unwrap_or_default()
    }
}

impl<'a> RawPacket<'a> {
    /// Length of what the tables know of a packet that decodes; all of it if they don't know the opcode.
    pub fn known_bytes(&self) -> u32 {
        let Some(layout) = Layout::of(self.opcode) else { return self.size_bytes() };
        match RestPlace::of(self, layout) {
            Some(place) => place.start + place.padded_bytes,
            None => layout.known_bytes(self.size_bytes()),
        }
    }

    /// What lies behind the known layout of a packet that decodes.
    pub fn tail(&self) -> &'a [u8] {
        self.bytes.get(self.known_bytes() as usize..).unwrap_or_default()
    }

    /// Everything odd or wrong about a packet that decodes, in a stream of ABI version 1.`minor`, in the order of
    /// severity and place that the checks come in.
    pub fn check(&self, minor: u16, found: &mut Vec<Diagnostic>) {
        let mut check = Check { packet: self, minor, subject: Layout::name_of(self.opcode), found };
        match Layout::of(self.opcode) {
            None => check.push(Severity::Note, Class::UnknownOpcode, 0, "opcode", u64::from(self.opcode)),
            Some(layout) => check.known(layout),
        }
    }
}

struct Check<'c, 'a> {
    packet: &'c RawPacket<'a>,
    minor: u16,
    subject: &'static str,
    found: &'c mut Vec<Diagnostic>,
}

impl Check<'_, '_> {
    fn push(&mut self, severity: Severity, class: Class, at: u32, part: &'static str, found: u64) {
        let (offset, subject) = (self.packet.offset + u64::from(at), self.subject);
        self.found.push(Diagnostic { severity, class, offset, subject, part, found });
    }

    fn fault(&mut self, class: Class, at: u32, part: &'static str, found: u64) {
        self.push(Severity::Fault, class, at, part, found);
    }

    fn known(&mut self, layout: &Layout) {
        let place = RestPlace::of(self.packet, layout);
        let stage = layout.field("stage").map(|(at, _)| self.packet.number_at(at, 4) as u32);
        for (at, field) in layout.fields_in(self.packet.size_bytes()) {
            self.field(at, field, stage, place);
        }
        if let (Some(rest), Some(place)) = (layout.rest, place) {
            if let Shape::Elements { members, .. } = rest.shape {
                self.elements(place, members.iter().map(|member| member.spec.rule));
            }
            let padding = place.padding(self.packet);
            if padding.iter().any(|byte| *byte != 0) {
                let first = padding.iter().find(|byte| **byte != 0).copied().unwrap_or_default();
                self.push(Severity::Note, Class::Padding, place.start + place.size_bytes, "padding", u64::from(first));
            }
            let (bytes, offset) = (place.bytes(self.packet), self.packet.offset + u64::from(place.start));
            match layout.opcode {
                0x200 => self.found.extend(ShaderCode::of(bytes, offset).fault),
                0x204 => VertexDeclaration::of(bytes, offset).check(bytes, offset, self.found),
                _ => {}
            }
        }
        match layout.opcode {
            0x101 => self.texture(layout),
            0x105 => self.copy_buffer(layout),
            _ => {}
        }
        let tail = self.packet.tail();
        if !tail.is_empty() {
            self.push(
                Severity::Note,
                Class::Tail,
                self.packet.known_bytes(),
                "a tail, in bytes, of",
                tail.len() as u64,
            );
        }
    }

    fn field(&mut self, at: u32, field: &Field, stage: Option<u32>, place: Option<RestPlace>) {
        let value = self.packet.number_at(at, field.size_bytes);
        let name = field.name;
        match field.spec.rule {
            // 64 bits are enough for every field that has another rule than Any.
            Rule::Any => {}
            Rule::Handle if value == 0 => self.fault(Class::ZeroHandle, at, name, 0),
            Rule::NotZero if value == 0 => self.fault(Class::Zero, at, name, 0),
            Rule::Handle | Rule::NotZero => {}
            Rule::Reserved if value != 0 => self.push(Severity::Note, Class::Reserved, at, name, value),
            Rule::Reserved => {}
            Rule::OneOf(values) if !values.contains(value as u32) => self.fault(Class::BadEnum, at, name, value),
            Rule::OneOf(_) => {}
            Rule::KnownBits(mask) if value & !u64::from(mask) != 0 => {
                self.push(Severity::Note, Class::UnknownBits, at, name, value);
            }
            Rule::OnlyBits(mask) if value & !u64::from(mask) != 0 => self.fault(Class::UnknownBits, at, name, value),
            Rule::KnownBits(_) | Rule::OnlyBits(_) => {}
            Rule::AtMost(limit) if value > u64::from(limit) => self.fault(Class::BadSlot, at, name, value),
            Rule::AtMost(_) => {}
            Rule::StartOf(end) => {
                let count = place.map_or(0, |place| place.count);
                if value.saturating_add(count) > u64::from(end) {
                    self.fault(Class::BadSlot, at, name, value);
                }
            }
            Rule::Stage => {
                // What stage_ex makes of it is that field's matter.
                if Stage::of(value as u32, 0, self.minor).is_none() {
                    self.fault(Class::BadEnum, at, name, value);
                }
            }
            Rule::StageEx => self.stage_ex(at, stage, value as u32),
        }
    }

    fn stage_ex(&mut self, at: u32, stage: Option<u32>, value: u32) {
        if !Stage::consults_stage_ex(stage, self.minor) {
            if value != 0 {
                self.push(Severity::Note, Class::Reserved, at, "stage_ex", u64::from(value));
            }
        } else if Stage::of(2, value, self.minor).is_none() {
            self.fault(Class::BadEnum, at, "stage_ex", u64::from(value));
        }
    }

    fn elements(&mut self, place: RestPlace, members: impl Iterator<Item = Rule> + Clone) {
        let mut rules = members.cycle();
        let end = place.start + place.size_bytes;
        for at in (place.start..end).step_by(4) {
            let value = self.packet.number_at(at, 4);
            if rules.next() == Some(Rule::Reserved) && value != 0 {
                self.push(Severity::Note, Class::Reserved, at, "an element's reserved word", value);
            }
        }
    }

    /// How many mips a texture of this size can have, and how long a row of it is.
    fn texture(&mut self, layout: &Layout) {
        let value = |name| layout.field(name).map_or(0, |(at, _)| self.packet.number_at(at, 4) as u32);
        let (width, height) = (value("width"), value("height"));
        let (mips, pitch) = (value("mip_levels"), value("row_pitch"));
        let (format, backing) = (value("format"), value("backing_alloc_id"));
        let place = |name| layout.field(name).map_or(0, |(at, _)| at);
        if width != 0 && height != 0 && mips > width.max(height).ilog2() + 1 {
            self.fault(Class::BadValue, place("mip_levels"), "mip_levels", u64::from(mips));
        }
        let is_given = pitch != 0 || backing != 0;
        if is_given && tight_row_bytes(format, width).is_some_and(|tight| u64::from(pitch) < tight) {
            self.fault(Class::BadValue, place("row_pitch"), "row_pitch", u64::from(pitch));
        }
    }

    fn copy_buffer(&mut self, layout: &Layout) {
        let place = |name| layout.field(name).map_or(0, |(at, _)| at);
        let [dst, src] = [place("dst"), place("src")].map(|at| self.packet.number_at(at, 4));
        if src != 0 && src == dst {
            self.fault(Class::SameResource, place("src"), "src", src);
        }
    }
}
