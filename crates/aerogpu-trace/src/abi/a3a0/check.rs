//! What is odd about a packet that can be read, by its table.

use super::diagnostic::{Class, Diagnostic, Severity};
use super::enumerations::tight_row_bytes;
use super::layout::{Field, Layout, Rule, Shape};
use super::packet::RawPacket;
use super::resources::{CopyBuffer, CreateTexture2d};
use super::rest::BoolForm;
use super::shader_code::ShaderCode;
use super::shaders::{CreateInputLayout, CreateShaderDxbc};
use super::stage::{consults_stage_ex, stage_of};
use super::table::Described;
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

    /// Everything odd or wrong about a packet that decodes, in a stream of ABI version 1.`minor`, in the order of the
    /// file. A packet of millions of elements has millions, so that they are found one after another.
    pub fn check(&self, minor: u16) -> impl Iterator<Item = Diagnostic> + use<'a> {
        let packet = *self;
        let layout = Layout::of(packet.opcode);
        let place = layout.and_then(|layout| RestPlace::of(&packet, layout));
        let mut check = FieldCheck { packet, minor, subject: Layout::name_of(packet.opcode), found: Vec::new() };
        match layout {
            None => check.push(Severity::Note, Class::UnknownOpcode, 0, "opcode", u64::from(packet.opcode)),
            Some(layout) => check.fields(layout, place),
        }
        let rest = layout.zip(place).map(|(layout, place)| packet.check_rest(layout, place));
        check.found.into_iter().chain(rest.into_iter().flatten()).chain(packet.check_tail())
    }

    /// What is odd or wrong about a variable part.
    fn check_rest(&self, layout: &'static Layout, place: RestPlace) -> impl Iterator<Item = Diagnostic> + use<'a> {
        let (bytes, offset) = (place.bytes(self), self.offset + u64::from(place.start));
        let code = (layout.opcode == CreateShaderDxbc::LAYOUT.opcode).then(|| ShaderCode::of(bytes, offset).fault);
        let declaration =
            (layout.opcode == CreateInputLayout::LAYOUT.opcode).then(|| VertexDeclaration::of(bytes, offset));
        self.check_elements(layout, place)
            .chain(code.flatten())
            .chain(declaration.into_iter().flat_map(move |declaration| declaration.check(bytes, offset)))
            .chain(self.check_padding(place))
    }

    /// The reserved words of elements.
    fn check_elements(&self, layout: &'static Layout, place: RestPlace) -> impl Iterator<Item = Diagnostic> + use<'a> {
        let members = match layout.rest.map(|rest| rest.shape) {
            Some(Shape::Elements { members, .. }) => members,
            _ => &[],
        };
        let packet = *self;
        let places = (place.start..place.start + place.size_bytes).step_by(4);
        places.zip(members.iter().cycle()).filter_map(move |(at, member)| {
            let value = packet.number_at(at, 4);
            (member.spec.rule == Rule::Reserved && value != 0)
                .then(|| packet.note(Class::Reserved, at, "an element's reserved word", value))
        })
    }

    /// The first byte of padding that is none.
    fn check_padding(&self, place: RestPlace) -> Option<Diagnostic> {
        let first = *place.padding(self).iter().find(|byte| **byte != 0)?;
        Some(self.note(Class::Padding, place.start + place.size_bytes, "padding", u64::from(first)))
    }

    fn check_tail(&self) -> Option<Diagnostic> {
        let (at, length) = (self.known_bytes(), self.tail().len() as u64);
        (length > 0).then(|| self.note(Class::Tail, at, "a tail, in bytes, of", length))
    }

    fn note(&self, class: Class, at: u32, part: &'static str, found: u64) -> Diagnostic {
        let (offset, subject) = (self.offset + u64::from(at), Layout::name_of(self.opcode));
        Diagnostic { severity: Severity::Note, class, offset, subject, part, found }
    }
}

/// Checks the fields of fixed length.
struct FieldCheck<'a> {
    packet: RawPacket<'a>,
    minor: u16,
    subject: &'static str,
    found: Vec<Diagnostic>,
}

impl FieldCheck<'_> {
    fn push(&mut self, severity: Severity, class: Class, at: u32, part: &'static str, found: u64) {
        let (offset, subject) = (self.packet.offset + u64::from(at), self.subject);
        self.found.push(Diagnostic { severity, class, offset, subject, part, found });
    }

    fn fault(&mut self, class: Class, at: u32, part: &'static str, found: u64) {
        self.push(Severity::Fault, class, at, part, found);
    }

    /// The fields one by one, and those that must fit each other.
    fn fields(&mut self, layout: &Layout, place: Option<RestPlace>) {
        let stage = layout.field("stage").map(|(at, _)| self.packet.number_at(at, 4) as u32);
        for (at, field) in layout.fields_in(self.packet.size_bytes()) {
            self.field(at, field, stage, place);
        }
        if layout.opcode == CreateTexture2d::LAYOUT.opcode {
            self.texture(layout);
        }
        if layout.opcode == CopyBuffer::LAYOUT.opcode {
            self.copy_buffer(layout);
        }
        self.found.sort_by_key(Diagnostic::order);
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
                if stage_of(value as u32, 0, self.minor).is_none() {
                    self.fault(Class::BadEnum, at, name, value);
                }
            }
            Rule::StageEx => self.stage_ex(at, stage, value as u32),
        }
    }

    fn stage_ex(&mut self, at: u32, stage: Option<u32>, value: u32) {
        if !consults_stage_ex(stage, self.minor) {
            if value != 0 {
                self.push(Severity::Note, Class::Reserved, at, "stage_ex", u64::from(value));
            }
        } else if stage_of(2, value, self.minor).is_none() {
            self.fault(Class::BadEnum, at, "stage_ex", u64::from(value));
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
