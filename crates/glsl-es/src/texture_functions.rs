//! Names and signatures of the texture functions.

use super::language::Language;
use super::source::Stage;
use super::typed::{Access, TextureCall};
use super::types::{Dimension, Sampler, Scalar, Type};

/// What a name says, if it is that of a texture function.
pub(crate) fn texture_call(language: Language, name: &str) -> Option<TextureCall> {
    match language {
        Language::Es100 => texture_call_of_es100(name).map(|(call, _)| call),
        Language::Es300 | Language::Es310 => texture_call_of_es300(name),
    }
}

/// What a name of GLSL ES 1.00 says, which has one for each shape of texture. Those of an extension end in `EXT`.
pub(crate) fn texture_call_of_es100(name: &str) -> Option<(TextureCall, Dimension)> {
    let name = name.strip_suffix("EXT").filter(|rest| rest.ends_with("Lod") || rest.ends_with("Grad")).unwrap_or(name);
    let (access, projected, dimension) = match name {
        "texture2D" => (Access::Implicit, false, Dimension::D2),
        "texture2DProj" => (Access::Implicit, true, Dimension::D2),
        "texture2DLod" => (Access::Level, false, Dimension::D2),
        "texture2DProjLod" => (Access::Level, true, Dimension::D2),
        "textureCube" => (Access::Implicit, false, Dimension::Cube),
        "textureCubeLod" => (Access::Level, false, Dimension::Cube),
        "texture2DGrad" => (Access::Gradients, false, Dimension::D2),
        "texture2DProjGrad" => (Access::Gradients, true, Dimension::D2),
        "textureCubeGrad" => (Access::Gradients, false, Dimension::Cube),
        _ => return None,
    };
    Some((TextureCall { access, projected, offset: false }, dimension))
}

fn texture_call_of_es300(name: &str) -> Option<TextureCall> {
    let call = |access, projected, offset| Some(TextureCall { access, projected, offset });
    match name {
        "textureSize" => call(Access::Size, false, false),
        "texelFetch" => call(Access::Fetch, false, false),
        "texelFetchOffset" => call(Access::Fetch, false, true),
        _ => {
            let rest = name.strip_prefix("texture")?;
            let (projected, rest) = match rest.strip_prefix("Proj") {
                Some(rest) => (true, rest),
                None => (false, rest),
            };
            let (access, rest) = if let Some(rest) = rest.strip_prefix("Lod") {
                (Access::Level, rest)
            } else if let Some(rest) = rest.strip_prefix("Grad") {
                (Access::Gradients, rest)
            } else {
                (Access::Implicit, rest)
            };
            match rest {
                "" => call(access, projected, false),
                "Offset" => call(access, projected, true),
                _ => None,
            }
        }
    }
}

/// Parameter lists that a texture function has for a sampler (the sampler itself left out), and its result.
/// With an optional bias there are two lists.
pub(crate) fn texture_signatures(call: TextureCall, sampler: Sampler, stage: Stage) -> Option<(Vec<Vec<Type>>, Type)> {
    use Dimension::*;
    let Sampler { dimension, texel, shadow } = sampler;
    let float = |size| Type::vector(Scalar::Float, size);
    let int = |size| Type::vector(Scalar::Int, size);
    let texel_type = if shadow { Type::FLOAT } else { Type::vector(texel, 4) };
    // Size of the offset and of a gradient, and of the plain coordinate.
    let plane = match dimension {
        D2 | D2Array => 2,
        D3 | Cube => 3,
    };
    let coordinate = plane + u8::from(dimension == D2Array) + u8::from(shadow);
    match call.access {
        Access::Size => {
            let size = if matches!(dimension, D3 | D2Array) { 3 } else { 2 };
            return Some((vec![vec![Type::INT]], int(size)));
        }
        Access::Fetch if shadow || dimension == Cube => return None,
        Access::Fetch => {
            let mut list = vec![int(coordinate), Type::INT];
            list.extend(call.offset.then(|| int(plane)));
            return Some((vec![list], texel_type));
        }
        _ => {}
    }
    let array_shadow = dimension == D2Array && shadow;
    let cube_shadow = dimension == Cube && shadow;
    let missing = (call.projected && matches!(dimension, Cube | D2Array))
        || (call.offset && dimension == Cube)
        || (call.access == Access::Level && (array_shadow || cube_shadow))
        || (call.access == Access::Implicit && call.offset && array_shadow);
    if missing {
        return None;
    }
    let coordinates = match (call.projected, dimension, shadow) {
        (false, ..) => vec![float(coordinate)],
        (true, D2, false) => vec![float(3), float(4)],
        (true, ..) => vec![float(4)],
    };
    let mut lists = Vec::new();
    for coordinate in coordinates {
        let mut list = vec![coordinate];
        match call.access {
            Access::Level => list.push(Type::FLOAT),
            Access::Gradients => list.extend([float(plane), float(plane)]),
            _ => {}
        }
        list.extend(call.offset.then(|| int(plane)));
        let biased = call.access == Access::Implicit && stage == Stage::Fragment && !array_shadow;
        if biased {
            let mut with_bias = list.clone();
            with_bias.push(Type::FLOAT);
            lists.push(with_bias);
        }
        lists.push(list);
    }
    Some((lists, texel_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texture_names_are_read_apart() {
        let call = texture_call(Language::Es300, "textureProjGradOffset").unwrap();
        assert!(call.projected && call.offset && call.access == Access::Gradients);
        assert!(texture_call(Language::Es300, "textureProjFrob").is_none());
        let sampler = Sampler { dimension: Dimension::Cube, texel: Scalar::Float, shadow: false };
        assert!(texture_signatures(call, sampler, Stage::Fragment).is_none());
    }
}
