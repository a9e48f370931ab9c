//! One compiled stage, and what flows in and out of it.

use std::fmt;

use naga::{ScalarKind, TypeInner};

use super::binding::Binding;
use crate::command::ShaderStage;

/// A validated module with the entry point chosen for its stage.
#[derive(Clone, Debug)]
pub struct StageModule {
    /// The stage.
    pub stage: ShaderStage,
    /// The module; it may hold other entry points too.
    pub module: naga::Module,
    /// Name of the entry point.
    pub entry_point: String,
    /// What it reads by location.
    pub inputs: Vec<Varying>,
    /// What it writes by location.
    pub outputs: Vec<Varying>,
    /// The resources it uses.
    pub bindings: Vec<Binding>,
    /// Whether it reads the vertex's number.
    pub uses_vertex_index: bool,
    /// Absolute file offset of its text.
    pub text_offset: u64,
}

/// A value that enters or leaves a stage at a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varying {
    /// Its location.
    pub location: u32,
    /// Its name in the text, where it has one.
    pub name: Option<String>,
    /// Its type.
    pub io_type: IoType,
    /// Whether a whole triangle has the value of one of its vertices.
    pub is_flat: bool,
}

/// A type that can enter or leave a stage: a scalar or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoType {
    /// Kind of its components.
    pub kind: ScalarKind,
    /// Number of components, 1 to 4.
    pub components: u8,
}

impl fmt::Display for Varying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@location({}) {}: {}", self.location, self.name.as_deref().unwrap_or("_"), self.io_type)
    }
}

impl fmt::Display for IoType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalar = match self.kind {
            ScalarKind::Sint => "i32",
            ScalarKind::Uint => "u32",
            ScalarKind::Bool => "bool",
            ScalarKind::Float | ScalarKind::AbstractInt | ScalarKind::AbstractFloat => "f32",
        };
        match self.components {
            1 => f.write_str(scalar),
            count => write!(f, "vec{count}<{scalar}>"),
        }
    }
}

/// What an entry point reads or writes, flattened out of its arguments or its result.
#[derive(Default)]
pub(super) struct Interface {
    pub varyings: Vec<Varying>,
    pub built_ins: Vec<naga::BuiltIn>,
}

impl Interface {
    /// Takes in one argument or result of the type `ty`.
    pub(crate) fn add(
        &mut self,
        module: &naga::Module,
        name: Option<&String>,
        ty: naga::Handle<naga::Type>,
        binding: Option<&naga::Binding>,
    ) {
        let inner = module.types.get_handle(ty).map(|ty| &ty.inner);
        match (binding, inner) {
            (Some(naga::Binding::BuiltIn(built_in)), _) => self.built_ins.push(*built_in),
            (Some(naga::Binding::Location { location, interpolation, .. }), Ok(inner)) => {
                if let Some(io_type) = io_type(inner) {
                    let is_flat = *interpolation == Some(naga::Interpolation::Flat);
                    self.varyings.push(Varying { location: *location, name: name.cloned(), io_type, is_flat });
                }
            }
            (None, Ok(TypeInner::Struct { members, .. })) => {
                for member in members {
                    self.add(module, member.name.as_ref(), member.ty, member.binding.as_ref());
                }
            }
            _ => {}
        }
    }
}

fn io_type(inner: &TypeInner) -> Option<IoType> {
    match inner {
        TypeInner::Scalar(scalar) => Some(IoType { kind: scalar.kind, components: 1 }),
        TypeInner::Vector { size, scalar } => Some(IoType { kind: scalar.kind, components: *size as u8 }),
        _ => None,
    }
}
