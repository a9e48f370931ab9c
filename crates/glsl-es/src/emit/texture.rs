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
use super::call::SamplerNames;
use super::types::vector;
use super::{Statement, Value, Writer};

/// The arguments of a sampling function, taken apart.
struct Sample {
    /// Coordinate without layer and reference.
    coordinate: Value,
    /// Layer as an `i32`.
    layer: Option<Value>,
    /// Reference depth.
    reference: Option<Value>,
    /// Constant offset.
    offset: Option<Value>,
    /// Bias or level.
    level: Option<Value>,
    /// Gradients.
    gradients: Option<(Value, Value)>,
}

impl Writer<'_> {
    pub(super) fn texture(&mut self, call: TextureCall, arguments: &[Expr]) -> Result<Value> {
        let Some((sampler, rest)) = arguments.split_first() else { return Ok(Value::nothing()) };
        if let Some((index, length)) = sampler.dynamic_sampler() {
            return self.texture_of_several(call, (sampler, index, length), rest);
        }
        let Some(names) = self.samplers(sampler).into_iter().next() else { return Ok(Value::nothing()) };
        let operands: Vec<&Expr> = rest.iter().collect();
        let values = self.operands(&operands)?;
        let texel = self.texel(call, &names, values, (sampler.position, rest));
        // Kept where it stands: derivatives belong to this place, not to where the value is used.
        Ok(self.keep(texel.changing()))
    }

    fn texel(
        &mut self,
        call: TextureCall,
        names: &SamplerNames,
        values: Vec<Value>,
        (position, rest): (u32, &[Expr]),
    ) -> Value {
        match call.access {
            Access::Size => size(names, values),
            Access::Fetch => self.fetch(call, names, values, rest),
            _ => {
                let sample = self.take_apart(call, names.sampler, values, rest);
                match (names.sampler.texel, names.sampler.shadow) {
                    (Scalar::Float, true) => self.sample_shadow(call, names, sample, position),
                    (Scalar::Float, false) => self.sample(call, names, sample),
                    _ => self.sample_integers(call, names, sample),
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
        self.declare_var(&name, vector(Scalar::Float, 4), None);
        let texel = Value::fixed(name);
        let mut cases = Vec::new();
        // The switch's own braces.
        self.braces += 1;
        for at in 0..length {
            let Some(names) = self.sampler_of_array(sampler, at) else { continue };
            let ((), body) = self.inside(|writer| {
                let found = writer.texel(call, &names, values.clone(), (sampler.position, rest));
                writer.push(Statement::Assign(texel.clone(), found));
                Ok(())
            })?;
            cases.push((vec![(at + 1 != length).then(|| Value::literal(format!("{at}i")))], body));
        }
        self.braces -= 1;
        self.push(Statement::Switch(Value::call("i32", vec![chosen]), cases));
        Ok(texel)
    }

    fn fetch(&mut self, call: TextureCall, names: &SamplerNames, values: Vec<Value>, rest: &[Expr]) -> Value {
        let mut values = values.into_iter();
        let at = values.next().map_or(Value::nothing(), |value| self.keep(value));
        let level = values.next().unwrap_or(Value::nothing());
        let offset = call.offset.then(|| self.offset(rest.get(2)));
        let moved = |at: Value| offset.as_ref().map_or(at.clone(), |offset| at.infix("+", offset));
        let texture = Value::fixed(names.texture.clone());
        let arguments = match names.sampler.dimension {
            Dimension::D2Array => vec![texture, moved(at.member("xy")), at.member("z"), level],
            _ => vec![texture, moved(at), level],
        };
        Value::call("textureLoad", arguments)
    }

    /// A constant offset, as WGSL wants it: written out.
    fn offset(&mut self, offset: Option<&Expr>) -> Value {
        match offset.and_then(|offset| Some((offset.value.clone()?, offset.ty.clone()))) {
            Some((value, ty)) => self.literal(&ty, &value),
            None => Value::nothing(),
        }
    }

    fn take_apart(&mut self, call: TextureCall, sampler: Sampler, values: Vec<Value>, rest: &[Expr]) -> Sample {
        let mut values = values.into_iter();
        let coordinate = values.next().map_or(Value::nothing(), |value| self.keep(value));
        let size = match rest.first().map(|coordinate| &coordinate.ty) {
            Some(Type::Numeric(_, _, size)) => *size,
            _ => 1,
        };
        let mut next = 1;
        let mut gradients = None;
        let mut level = None;
        match call.access {
            Access::Gradients => {
                gradients = values.next().zip(values.next());
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
        let last = super::place::letters(&[size - 1]);
        let plane = if matches!(sampler.dimension, Dimension::D3 | Dimension::Cube) { "xyz" } else { "xy" };
        let is_whole = plane.len() == usize::from(size);
        let plain = if is_whole { coordinate.clone() } else { coordinate.member(plane) };
        let layer = (sampler.dimension == Dimension::D2Array).then(|| {
            let nearest = coordinate.member("z").infix("+", &Value::literal("0.5f"));
            Value::call("i32", vec![Value::call("floor", vec![nearest])])
        });
        let reference =
            sampler.shadow.then(|| coordinate.member(if call.projected { "z".to_owned() } else { last.clone() }));
        let (coordinate, reference) = match call.projected {
            true => {
                let divisor = coordinate.member(last);
                (plain.infix("/", &divisor), reference.map(|reference| reference.infix("/", &divisor)))
            }
            false => (plain, reference),
        };
        Sample { coordinate, layer, reference, offset, level, gradients }
    }

    fn sample(&mut self, call: TextureCall, names: &SamplerNames, sample: Sample) -> Value {
        let mut arguments = names.sampled_at(sample.coordinate);
        arguments.extend(sample.layer);
        let in_fragment = self.program.stage == Stage::Fragment;
        let function = match (call.access, sample.gradients, sample.level) {
            (Access::Gradients, Some((x, y)), _) => {
                arguments.extend([x, y]);
                "textureSampleGrad"
            }
            (Access::Level, _, Some(level)) => {
                arguments.push(level);
                "textureSampleLevel"
            }
            (_, _, Some(bias)) if in_fragment => {
                arguments.push(bias);
                "textureSampleBias"
            }
            _ if in_fragment => "textureSample",
            _ => {
                arguments.push(Value::literal("0.0f"));
                "textureSampleLevel"
            }
        };
        arguments.extend(sample.offset);
        Value::call(function, arguments)
    }

    fn sample_shadow(&mut self, call: TextureCall, names: &SamplerNames, sample: Sample, position: u32) -> Value {
        let mut arguments = names.sampled_at(sample.coordinate);
        arguments.extend(sample.layer);
        arguments.extend(sample.reference);
        let implicit = call.access == Access::Implicit && self.program.stage == Stage::Fragment;
        if sample.gradients.is_some() || sample.level.as_ref().is_some_and(|level| !level.is_float_zero()) {
            let what = "a shadow sampler's level, bias or gradients are ignored: WGSL compares at level 0 or the \
                    implicit level";
            self.notes.push(Note::remark(position, what));
        }
        arguments.extend(sample.offset);
        Value::call(if implicit { "textureSampleCompare" } else { "textureSampleCompareLevel" }, arguments)
    }

    /// WGSL samples no integers; GL filters none, so the nearest texel is what it reads.
    fn sample_integers(&mut self, call: TextureCall, names: &SamplerNames, sample: Sample) -> Value {
        let texture = Value::fixed(names.texture.clone());
        let zero = Value::literal("0i");
        let last =
            |count: &'static str| as_i32(Value::call(count, vec![texture.clone()])).infix("-", &Value::literal("1i"));
        let clamped = |value: Value, last: Value| Value::call("clamp", vec![value, zero.clone(), last]);
        let mut coordinate = self.bind(&sample.coordinate);
        let mut layer = sample.layer.map(|layer| clamped(layer, last("textureNumLayers")));
        if names.sampler.dimension == Dimension::Cube {
            let face = Value::call(self.runtime("gl_cube_face"), vec![coordinate]);
            let face = self.bind(&face);
            coordinate = face.member("xy");
            layer = Some(as_i32(face.member("z")));
        }
        let level = match (call.access, sample.level) {
            (Access::Level, Some(level)) => {
                let nearest = as_i32(Value::call("round", vec![level]));
                self.bind(&clamped(nearest, last("textureNumLevels")))
            }
            _ => zero.clone(),
        };
        let size = if names.sampler.dimension == Dimension::D3 { 3 } else { 2 };
        let floats = |value: Value| Value::call(vector(Scalar::Float, size), vec![value]);
        let extent = floats(Value::call("textureDimensions", vec![texture.clone(), level.clone()]));
        let extent = self.bind(&extent);
        let texel = Value::call("floor", vec![coordinate.infix("*", &extent)]);
        let texel = sample.offset.map_or(texel.clone(), |offset| texel.infix("+", &floats(offset)));
        let texel = self.bind(&texel);
        let repeats = Value::call("floor", vec![texel.infix("/", &extent)]);
        let at = Value::call(vector(Scalar::Int, size), vec![texel.infix("-", &extent.infix("*", &repeats))]);
        let mut arguments = vec![texture, at];
        arguments.extend(layer);
        arguments.push(level);
        Value::call("textureLoad", arguments)
    }
}

impl SamplerNames {
    fn sampled_at(&self, coordinate: Value) -> Vec<Value> {
        let state = self.state.clone().map_or(Value::nothing(), Value::fixed);
        vec![Value::fixed(self.texture.clone()), state, coordinate]
    }
}

fn size(names: &SamplerNames, values: Vec<Value>) -> Value {
    let level = values.into_iter().next().unwrap_or(Value::literal("0"));
    let texture = Value::fixed(names.texture.clone());
    let plane = |size| {
        Value::call(
            vector(Scalar::Int, size),
            vec![Value::call("textureDimensions", vec![texture.clone(), level.clone()])],
        )
    };
    match names.sampler.dimension {
        Dimension::D3 => plane(3),
        Dimension::D2Array => {
            let layers = as_i32(Value::call("textureNumLayers", vec![texture.clone()]));
            Value::call(vector(Scalar::Int, 3), vec![plane(2), layers])
        }
        _ => plane(2),
    }
}

fn as_i32(value: Value) -> Value {
    Value::call("i32", vec![value])
}
