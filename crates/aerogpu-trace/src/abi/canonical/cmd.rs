//! The fields of a packet, and what follows them.

use std::io;

use super::value::{Data, Escaped, Hex, PlainHex};
use super::writer::CanonicalWriter;
use crate::abi::a3a0::shaders::BindShaders;
use crate::abi::a3a0::state::SetBlendState;
use crate::abi::a3a0::{
    BoolForm, Bools, D3d9Declaration, Described, DisplayFormat, Field, Ilay, Layout, RawPacket, RestPlace, ShaderCode,
    Shape, Spec, Text, VertexDeclaration,
};

const CREATE_SHADER_DXBC: u32 = 0x200;
const BIND_SHADERS: u32 = 0x202;
const CREATE_INPUT_LAYOUT: u32 = 0x204;
const SET_BLEND_STATE: u32 = 0x300;

impl CanonicalWriter<'_, '_> {
    /// The fields of a packet that decodes.
    pub(crate) fn fields(&mut self, packet: &RawPacket<'_>, layout: &Layout) -> io::Result<()> {
        match layout.opcode {
            BIND_SHADERS => return self.bind_shaders(packet, layout),
            SET_BLEND_STATE => return self.blend_state(packet, layout),
            _ => {}
        }
        layout.fields_in(packet.size_bytes()).try_for_each(|(at, field)| self.field(packet, at, field))?;
        match RestPlace::of(packet, layout) {
            Some(place) => self.rest(packet, layout, place),
            None => Ok(()),
        }
    }

    fn field(&mut self, packet: &RawPacket<'_>, at: u32, field: &Field) -> io::Result<()> {
        let name = field.name;
        match field.spec.display {
            DisplayFormat::Numbered => (0..field.size_bytes / 4)
                .try_for_each(|index| write!(self.out, " {name}{index}={}", packet.number_at(at + 4 * index, 4))),
            DisplayFormat::Padding => {
                let bytes = packet.bytes.get(at as usize..(at + field.size_bytes) as usize).unwrap_or_default();
                write!(self.out, " {name}={}", PlainHex(bytes))
            }
            _ => {
                write!(self.out, " {name}=")?;
                self.number(field.spec, packet.number_at(at, field.size_bytes))
            }
        }
    }

    fn number(&mut self, spec: Spec, value: u64) -> io::Result<()> {
        match spec.display {
            DisplayFormat::Decimal | DisplayFormat::Numbered => write!(self.out, "{value}"),
            DisplayFormat::Signed => write!(self.out, "{}", value as u32 as i32),
            DisplayFormat::Hex | DisplayFormat::Padding => write!(self.out, "{value:#x}"),
            DisplayFormat::Float => write!(self.out, "{value:#010x}"),
        }
    }

    fn bind_shaders(&mut self, packet: &RawPacket<'_>, layout: &Layout) -> io::Result<()> {
        let is_fixed = |(_, field): &(u32, &Field)| !field.is_optional;
        let fixed = layout.fields_in(packet.size_bytes()).filter(is_fixed);
        fixed.into_iter().try_for_each(|(at, field)| self.field(packet, at, field))?;
        let [gs, hs, ds] =
            BindShaders::parse(packet.bytes).map(|(bound, tail)| bound.later_stages(tail.len())).unwrap_or_default();
        write!(self.out, " gs={gs} hs={hs} ds={ds}")
    }

    /// All fields, whatever the packet's length: those that are absent with what they mean then.
    fn blend_state(&mut self, packet: &RawPacket<'_>, layout: &Layout) -> io::Result<()> {
        let effective = SetBlendState::parse(packet.bytes).map(|(blend, _)| blend.effective());
        for (at, field) in layout.fields_in(u32::MAX) {
            if at + field.size_bytes <= packet.size_bytes() {
                self.field(packet, at, field)?;
            } else if let Ok(effective) = &effective {
                let value = match field.name {
                    "src_alpha" => effective.alpha[0],
                    "dst_alpha" => effective.alpha[1],
                    "op_alpha" => effective.alpha[2],
                    "sample_mask" => effective.sample_mask,
                    // A channel of the constant, of which absent ones are alike.
                    _ => 1.0_f32.to_bits(),
                };
                write!(self.out, " {}=", field.name)?;
                self.number(field.spec, u64::from(value))?;
            }
        }
        Ok(())
    }

    fn rest(&mut self, packet: &RawPacket<'_>, layout: &Layout, place: RestPlace) -> io::Result<()> {
        let Some(rest) = layout.rest else { return Ok(()) };
        let (name, bytes) = (rest.name, place.bytes(packet));
        match rest.shape {
            Shape::Text => write!(self.out, " {name}=\"{}\"", Escaped(Text(bytes).trimmed())),
            Shape::Bytes => {
                write!(self.out, " {name}={}", Data::of(bytes))?;
                let offset = packet.offset + u64::from(place.start);
                match layout.opcode {
                    CREATE_SHADER_DXBC => self.shader_code(&ShaderCode::of(bytes, offset)),
                    CREATE_INPUT_LAYOUT => self.declaration(bytes, &VertexDeclaration::of(bytes, offset)),
                    _ => Ok(()),
                }
            }
            Shape::Bools => self.bools(name, bytes, place),
            Shape::Elements { members, .. } => {
                write!(self.out, " {name}=[")?;
                let mut at = place.start;
                for index in 0..place.count {
                    for (member, number) in members.iter().zip(0..) {
                        let separator = match (index, number) {
                            (0, 0) => "",
                            (_, 0) => ";",
                            _ => ",",
                        };
                        self.out.write_all(separator.as_bytes())?;
                        self.number(member.spec, packet.number_at(at, 4))?;
                        at += 4;
                    }
                }
                write!(self.out, "]")
            }
        }
    }

    fn bools(&mut self, name: &str, bytes: &[u8], place: RestPlace) -> io::Result<()> {
        let Some(bools) = place.form.and_then(|form| Bools::new(form, bytes)) else { return Ok(()) };
        let form = match bools.form {
            BoolForm::Vec4 => "vec4",
            BoolForm::Scalar => "scalar",
        };
        write!(self.out, " form={form} {name}=[")?;
        for (index, flag) in bools.iter().enumerate() {
            write!(self.out, "{}{}", if index == 0 { "" } else { "," }, u8::from(flag))?;
        }
        write!(self.out, "]")
    }

    fn shader_code(&mut self, code: &ShaderCode) -> io::Result<()> {
        write!(self.out, " kind={} model=", code.kind.name())?;
        match code.model {
            Some(model) => write!(self.out, "{model}")?,
            None => write!(self.out, "none")?,
        }
        if code.kind != crate::abi::a3a0::CodeKind::Dxbc {
            return Ok(());
        }
        write!(self.out, " chunks=[")?;
        for (index, chunk) in code.chunks.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(self.out, "{separator}{},{},{}", Escaped(&chunk.code), chunk.data_offset, chunk.size_bytes)?;
        }
        write!(self.out, "]")
    }

    fn declaration(&mut self, blob: &[u8], declaration: &VertexDeclaration<'_>) -> io::Result<()> {
        match declaration {
            VertexDeclaration::Ilay(ilay) => self.ilay(ilay),
            VertexDeclaration::D3d9(declaration) => self.d3d9_declaration(blob, declaration),
            VertexDeclaration::Unknown => write!(self.out, " layout=unknown hex={}", Hex(blob)),
        }
    }

    fn ilay(&mut self, ilay: &Ilay<'_>) -> io::Result<()> {
        write!(self.out, " layout=ilay")?;
        let Some([version, element_count, reserved]) = ilay.header else { return Ok(()) };
        write!(self.out, " version={version} element_count={element_count} reserved={reserved:#x}")?;
        if ilay.fault.is_some() {
            return Ok(());
        }
        write!(self.out, " elements=[")?;
        for (index, element) in ilay.elements().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(
                self.out,
                "{separator}{:#010x},{},{},{},{},{},{}",
                element.semantic_hash,
                element.semantic_index,
                element.format,
                element.slot,
                element.offset,
                element.class,
                element.step
            )?;
        }
        write!(self.out, "]")
    }

    fn d3d9_declaration(&mut self, blob: &[u8], declaration: &D3d9Declaration<'_>) -> io::Result<()> {
        write!(self.out, " layout=d3d9 hex={} elements=[", Hex(blob))?;
        for (index, element) in declaration.elements().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(
                self.out,
                "{separator}{},{},{},{},{},{}",
                element.stream, element.offset, element.r#type, element.method, element.usage, element.usage_index
            )?;
        }
        write!(self.out, "]")
    }
}
