//! A WGSL twin, dressed as the pair that it is the twin of: its own bindings, with the same content.

use aerogpu_replay::shader::glsl::{Binding, BindingKind, Linked, Stages};

use super::gpu::Content;

/// Names of a twin's resources in the GLSL text.
pub enum Names {
    /// By the same names: blocks by those of their members, textures by their own.
    Same,
    /// By naga, after group and binding.
    Naga,
}

/// The twin's program and content. `content` is the pair's, and is made the same for both stages where naga has given
/// one resource a name in each.
pub fn twin_of(pair: &Linked, content: &mut Content, wgsl: &str, names: &Names) -> (Linked, Content) {
    let (module, info) = dev_glsl_cases::validate(wgsl).unwrap();
    let mut twin = pair.clone();
    (twin.vertex_wgsl, twin.fragment_wgsl) = (wgsl.to_owned(), wgsl.to_owned());
    twin.bindings.clear();
    let mut of_twin = Content::new(&twin);
    // The same attributes in the same order, where the twin has them.
    for (attribute, location) in twin.attributes.iter_mut().zip(inputs_of(&module)) {
        (attribute.location, attribute.active) = (location, true);
    }
    for (stream, attribute) in of_twin.scene.streams.iter_mut().zip(&twin.attributes) {
        stream.1 = attribute.location;
    }
    assert_eq!(twin.attributes.len(), of_twin.scene.streams.len(), "no attribute is a matrix");
    for (handle, global) in module.global_variables.iter() {
        let Some(place) = &global.binding else { continue };
        if (0..module.entry_points.len()).all(|entry| info.get_entry_point(entry)[handle].is_empty()) {
            continue;
        }
        let name = match names {
            Names::Same => global.name.clone().unwrap(),
            Names::Naga => format!("_group_{}_binding_{}_", place.group, place.binding),
        };
        let kind = match &module.types[global.ty].inner {
            naga::TypeInner::Image { .. } => {
                let is_it = |candidate: &str| match names {
                    Names::Same => candidate == name,
                    Names::Naga => candidate.starts_with(&name),
                };
                let (kind, texture) = texture(pair, content, is_it);
                of_twin.scene.textures.push(texture);
                kind
            }
            naga::TypeInner::Sampler { comparison } => BindingKind::Sampler { comparison: *comparison },
            ty => {
                let size = ty.size(module.to_ctx()).next_multiple_of(16);
                let mut bytes = vec![0; size as usize];
                match (names, ty) {
                    (Names::Same, naga::TypeInner::Struct { members, .. }) => {
                        for member in members {
                            let source = member_bytes(pair, content, |name| Some(name) == member.name.as_deref());
                            let at = member.offset as usize;
                            let end = bytes.len().min(at + source[0].len());
                            bytes[at..end].copy_from_slice(&source[0][..end - at]);
                        }
                    }
                    _ => {
                        let source = member_bytes(pair, content, |candidate| candidate.starts_with(&name));
                        let end = bytes.len().min(source[0].len());
                        bytes[..end].copy_from_slice(&source[0][..end]);
                    }
                }
                of_twin.buffers.push((place.binding, bytes));
                BindingKind::UniformBlock { size_bytes: size, members: Vec::new() }
            }
        };
        assert_eq!(place.group, 0, "the test binds group 0 only");
        twin.bindings.push(Binding {
            group: 0,
            binding: place.binding,
            stages: Stages { vertex: true, fragment: true },
            name,
            kind,
        });
    }
    (twin, of_twin)
}

/// Locations that the vertex stage reads.
fn inputs_of(module: &naga::Module) -> Vec<u32> {
    let entry = module.entry_points.iter().find(|entry| entry.stage == naga::ShaderStage::Vertex).unwrap();
    let location = |binding: &Option<naga::Binding>| match binding {
        Some(naga::Binding::Location { location, .. }) => Some(*location),
        _ => None,
    };
    let mut locations = Vec::new();
    for argument in &entry.function.arguments {
        locations.extend(location(&argument.binding));
        if let naga::TypeInner::Struct { members, .. } = &module.types[argument.ty].inner {
            locations.extend(members.iter().filter_map(|member| location(&member.binding)));
        }
    }
    locations.sort_unstable();
    locations
}

/// Content of the block members that are called so, from their offset to their block's end. The first one's content
/// is given to the others.
fn member_bytes(pair: &Linked, content: &mut Content, is_it: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let mut places = Vec::new();
    for binding in &pair.bindings {
        if let BindingKind::UniformBlock { members, .. } = &binding.kind {
            let found = members.iter().filter(|member| is_it(&member.name));
            places.extend(found.map(|member| (binding.binding, member.offset as usize)));
        }
    }
    assert!(!places.is_empty(), "the pair has nothing to fill a uniform of the twin with");
    let mut first: Option<Vec<u8>> = None;
    let mut found = Vec::new();
    for (binding, offset) in places {
        let bytes = &mut content.buffers.iter_mut().find(|(number, _)| *number == binding).unwrap().1;
        match &first {
            // Blocks that stand for one resource hold it alone.
            Some(first) if offset == 0 && first.len() == bytes.len() => bytes.clone_from(first),
            _ => first = Some(bytes[offset..].to_vec()),
        }
        found.push(bytes[offset..].to_vec());
    }
    found
}

fn texture(pair: &Linked, content: &mut Content, is_it: impl Fn(&str) -> bool) -> (BindingKind, gles_judge::Texture) {
    let textures = &mut content.scene.textures;
    let first = textures.iter().find(|texture| is_it(&texture.name)).expect("the pair has this texture").clone();
    for texture in textures.iter_mut().filter(|texture| is_it(&texture.name)) {
        texture.levels.clone_from(&first.levels);
    }
    let of_it = |binding: &&Binding| binding.name == first.name && matches!(binding.kind, BindingKind::Texture { .. });
    (pair.bindings.iter().find(of_it).unwrap().kind.clone(), first)
}
