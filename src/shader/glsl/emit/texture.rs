//! Texture functions.
//!
//! | GLSL | WGSL |
//! |---|---|
//! | `texture` | `textureSample`, with bias `textureSampleBias`; in a vertex shader `textureSampleLevel` of level 0 |
//! | `texture` of a shadow sampler | `textureSampleCompare`; in a vertex shader `textureSampleCompareLevel` |
//! | `texture` of integers | `textureLoad` of the nearest texel, repeating: GL's own default wrap |
//! | an array's layer | `floor(layer + 0.5)`, as GL rounds and WGSL truncates |
//! | `textureProj` | division by the last component |
//! | `texelFetchOffset` | `textureLoad` of the sum |

use super::super::error::Note;
use super::super::error::Result;
use super::super::source::Stage;
use super::super::typed::{Access, Expr, TextureCall};
use super::super::types::{Dimension, Sampler, Scalar, Type};
use super::call::SamplerText;
use super::{Value, Writer};

/// The arguments of a sampling function, taken apart.
struct Sample {
    /// Coordinate without layer and reference.
    coordinate: String,
    /// Layer as an `i32`.
    layer: Option<String>,
    /// Reference depth.
    reference: Option<String>,
    /// Constant offset.
    offset: Option<String>,
    /// Bias or level.
    level: Option<Value>,
    /// Gradients.
    gradients: Option<(String, String)>,
}

impl Writer<'_> {
    pub(super) fn texture(&mut self, call: TextureCall, arguments: &[Expr]) -> Result<Value> {
        let Some((sampler, rest)) = arguments.split_first() else { return Ok(Value::fixed("")) };
        if let Some((index, length)) = sampler.dynamic_sampler() {
            return self.texture_of_several(call, (sampler, index, length), rest);
        }
        let Some(text) = self.samplers(sampler).into_iter().next() else { return Ok(Value::fixed("")) };
        let operands: Vec<&Expr> = rest.iter().collect();
        let values = self.operands(&operands)?;
        let code = self.texture_code(call, &text, values, (sampler.position, rest));
        // Kept where it stands: derivatives belong to this place, not to where the text is used.
        Ok(self.keep(Value::called(code, 1)))
    }

    fn texture_code(
        &mut self,
        call: TextureCall,
        text: &SamplerText,
        values: Vec<Value>,
        (position, rest): (u32, &[Expr]),
    ) -> String {
        match call.access {
            Access::Size => self.size(text, &values),
            Access::Fetch => self.fetch(call, text, values, rest),
            _ => {
                let sample = self.take_apart(call, text.sampler, values, rest);
                match (text.sampler.texel, text.sampler.shadow) {
                    (Scalar::Float, true) => self.sample_shadow(call, text, sample, position),
                    (Scalar::Float, false) => self.sample(call, text, sample),
                    _ => self.sample_integers(call, text, sample),
                }
            }
        }
    }

    /// One of an array's samplers, chosen at run time: WGSL has a name for each of them. Beyond the array, the last.
    fn texture_of_several(
        &mut self,
        call: TextureCall,
        (sampler, index, length): (&Expr, &Expr, u32),
        rest: &[Expr],
    ) -> Result<Value> {
        let operands: Vec<&Expr> = rest.iter().collect();
        let chosen = self.value(index)?;
        let chosen = self.keep(chosen);
        let values = self.operands(&operands)?.into_iter().map(|value| self.keep(value)).collect::<Vec<_>>();
        let name = self.temporary();
        self.line(&format!("var {name}: vec4<f32>;"));
        self.open(&format!("switch i32({})", chosen.code))?;
        for at in 0..length {
            let Some(text) = self.sampler_of_array(sampler, at) else { continue };
            let label = if at + 1 == length { "default".to_owned() } else { format!("case {at}i") };
            self.open(&format!("{label}:"))?;
            let code = self.texture_code(call, &text, values.clone(), (sampler.position, rest));
            self.line(&format!("{name} = {code};"));
            self.close();
        }
        self.close();
        Ok(Value::fixed(name))
    }

    fn size(&mut self, text: &SamplerText, values: &[Value]) -> String {
        let level = values.first().map_or("0", |level| level.code.as_str());
        let texture = &text.texture;
        match text.sampler.dimension {
            Dimension::D3 => format!("vec3<i32>(textureDimensions({texture}, {level}))"),
            Dimension::D2Array => {
                format!("vec3<i32>(vec2<i32>(textureDimensions({texture}, {level})), i32(textureNumLayers({texture})))")
            }
            _ => format!("vec2<i32>(textureDimensions({texture}, {level}))"),
        }
    }

    fn fetch(&mut self, call: TextureCall, text: &SamplerText, values: Vec<Value>, rest: &[Expr]) -> String {
        let mut values = values.into_iter();
        let at = values.next().map(|value| self.keep(value).code).unwrap_or_default();
        let level = values.next().map(|value| value.code).unwrap_or_default();
        let offset = match call.offset {
            true => format!(" + {}", self.offset(rest.get(2))),
            false => String::new(),
        };
        match text.sampler.dimension {
            Dimension::D2Array => format!("textureLoad({}, {at}.xy{offset}, {at}.z, {level})", text.texture),
            _ => format!("textureLoad({}, {at}{offset}, {level})", text.texture),
        }
    }

    /// A constant offset, as WGSL wants it: written out.
    fn offset(&mut self, offset: Option<&Expr>) -> String {
        match offset.and_then(|offset| Some((offset.value.clone()?, offset.ty.clone()))) {
            Some((value, ty)) => self.literal(&ty, &value).code,
            None => String::new(),
        }
    }

    fn take_apart(&mut self, call: TextureCall, sampler: Sampler, values: Vec<Value>, rest: &[Expr]) -> Sample {
        let mut values = values.into_iter();
        let coordinate = values.next().map(|value| self.keep(value).code).unwrap_or_default();
        let size = match rest.first().map(|coordinate| &coordinate.ty) {
            Some(Type::Numeric(_, _, size)) => *size,
            _ => 1,
        };
        let mut next = 1;
        let mut gradients = None;
        let mut level = None;
        match call.access {
            Access::Gradients => {
                gradients = values.next().zip(values.next()).map(|(x, y)| (x.code, y.code));
                next = 3;
            }
            Access::Level => {
                level = values.next();
                next = 2;
            }
            _ => {}
        }
        let offset = call.offset.then(|| self.offset(rest.get(next)));
        if call.offset {
            values.next();
        }
        let level = level.or_else(|| values.next());
        let divisor = format!("{coordinate}.{}", super::place::letters(&[size - 1]));
        let plane: &str = if matches!(sampler.dimension, Dimension::D3 | Dimension::Cube) { "xyz" } else { "xy" };
        let whole = plane.len() == usize::from(size);
        let plain = if whole { coordinate.clone() } else { format!("{coordinate}.{plane}") };
        let layer = (sampler.dimension == Dimension::D2Array).then(|| format!("i32(floor({coordinate}.z + 0.5f))"));
        let reference = sampler.shadow.then(|| {
            let at = if call.projected { "z".to_owned() } else { super::place::letters(&[size - 1]) };
            format!("{coordinate}.{at}")
        });
        let (coordinate, reference) = match call.projected {
            true => (format!("({plain} / {divisor})"), reference.map(|r| format!("({r} / {divisor})"))),
            false => (plain, reference),
        };
        Sample { coordinate, layer, reference, offset, level, gradients }
    }

    fn sample(&mut self, call: TextureCall, text: &SamplerText, sample: Sample) -> String {
        let mut parts = vec![text.texture.clone(), text.state.clone(), sample.coordinate];
        parts.extend(sample.layer);
        let in_fragment = self.program.stage == Stage::Fragment;
        let function = match (call.access, sample.gradients, sample.level) {
            (Access::Gradients, Some((x, y)), _) => {
                parts.extend([x, y]);
                "textureSampleGrad"
            }
            (Access::Level, _, Some(level)) => {
                parts.push(level.code);
                "textureSampleLevel"
            }
            (_, _, Some(bias)) if in_fragment => {
                parts.push(bias.code);
                "textureSampleBias"
            }
            _ if in_fragment => "textureSample",
            _ => {
                parts.push("0.0f".to_owned());
                "textureSampleLevel"
            }
        };
        parts.extend(sample.offset);
        format!("{function}({})", parts.join(", "))
    }

    fn sample_shadow(&mut self, call: TextureCall, text: &SamplerText, sample: Sample, position: u32) -> String {
        let mut parts = vec![text.texture.clone(), text.state.clone(), sample.coordinate];
        parts.extend(sample.layer);
        parts.extend(sample.reference);
        let implicit = call.access == Access::Implicit && self.program.stage == Stage::Fragment;
        let zero = |level: &Value| matches!(level.code.as_str(), "0.0f" | "-0.0f");
        if sample.gradients.is_some() || sample.level.as_ref().is_some_and(|level| !zero(level)) {
            let what =
                "a shadow sampler's level, bias or gradients are ignored: WGSL compares at level 0 or the implicit one";
            self.notes.push(Note::remark(position, what));
        }
        parts.extend(sample.offset);
        let function = if implicit { "textureSampleCompare" } else { "textureSampleCompareLevel" };
        format!("{function}({})", parts.join(", "))
    }

    /// WGSL samples no integers; GL filters none, so the nearest texel is what it reads.
    fn sample_integers(&mut self, call: TextureCall, text: &SamplerText, sample: Sample) -> String {
        let texture = &text.texture;
        let mut coordinate = self.keep(Value::read(sample.coordinate)).code;
        let last = format!("i32(textureNumLayers({texture})) - 1i");
        let mut layer = sample.layer.map(|layer| format!("clamp({layer}, 0i, {last})"));
        if text.sampler.dimension == Dimension::Cube {
            let function = self.runtime("gl_cube_face");
            let face = self.keep(Value::read(format!("{function}({coordinate})"))).code;
            coordinate = format!("{face}.xy");
            layer = Some(format!("i32({face}.z)"));
        }
        let level = match (call.access, sample.level) {
            (Access::Level, Some(level)) => {
                let code = format!("clamp(i32(round({})), 0i, i32(textureNumLevels({texture})) - 1i)", level.code);
                self.keep(Value::read(code)).code
            }
            _ => "0i".to_owned(),
        };
        let size = if text.sampler.dimension == Dimension::D3 { 3 } else { 2 };
        let extent = self.keep(Value::read(format!("vec{size}<f32>(textureDimensions({texture}, {level}))"))).code;
        let offset = sample.offset.map(|offset| format!(" + vec{size}<f32>({offset})")).unwrap_or_default();
        let texel = self.keep(Value::read(format!("floor({coordinate} * {extent}){offset}"))).code;
        let at = format!("vec{size}<i32>({texel} - {extent} * floor({texel} / {extent}))");
        match layer {
            Some(layer) => format!("textureLoad({texture}, {at}, {layer}, {level})"),
            None => format!("textureLoad({texture}, {at}, {level})"),
        }
    }
}
