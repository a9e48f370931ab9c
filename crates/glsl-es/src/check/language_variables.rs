//! Variables and constants that the language declares.

use std::sync::Arc;

use super::super::language::{DRAW_BUFFERS, Language};
use super::super::source::Stage;
use super::super::typed::{Builtin, Interface, VariableKind};
use super::super::types::{Scalar, Struct, Type};
use super::super::value::Component;
use super::Checker;
use super::scope::Entity;

/// Name, lowest value that GLSL ES 3.00 guarantees.
const LIMITS: [(&str, i32); 11] = [
    ("gl_MaxVertexAttribs", 16),
    ("gl_MaxVertexUniformVectors", 256),
    ("gl_MaxVertexOutputVectors", 16),
    ("gl_MaxFragmentInputVectors", 15),
    ("gl_MaxVertexTextureImageUnits", 16),
    ("gl_MaxCombinedTextureImageUnits", 32),
    ("gl_MaxTextureImageUnits", 16),
    ("gl_MaxFragmentUniformVectors", 224),
    ("gl_MaxDrawBuffers", 4),
    ("gl_MinProgramTexelOffset", -8),
    ("gl_MaxProgramTexelOffset", 7),
];

/// The same for GLSL ES 1.00, with what hardware that is read at all has.
const LIMITS_OF_ES100: [(&str, i32); 7] = [
    ("gl_MaxVertexAttribs", 16),
    ("gl_MaxVertexUniformVectors", 256),
    ("gl_MaxVaryingVectors", 15),
    ("gl_MaxVertexTextureImageUnits", 16),
    ("gl_MaxCombinedTextureImageUnits", 32),
    ("gl_MaxTextureImageUnits", 16),
    ("gl_MaxFragmentUniformVectors", 224),
];

/// Elements of `gl_FragData` with GL_EXT_draw_buffers.
const DRAW_BUFFERS_AT_ONCE: u32 = 4;

/// Name, stage, type, which.
fn builtin_variables(language: Language) -> Vec<(&'static str, Stage, Type, Builtin)> {
    let vec4 = Type::vector(Scalar::Float, 4);
    let vec2 = Type::vector(Scalar::Float, 2);
    let mut variables = vec![
        ("gl_Position", Stage::Vertex, vec4.clone(), Builtin::Position),
        ("gl_PointSize", Stage::Vertex, Type::FLOAT, Builtin::PointSize),
        ("gl_FragCoord", Stage::Fragment, vec4, Builtin::FragCoord),
        ("gl_FrontFacing", Stage::Fragment, Type::BOOL, Builtin::FrontFacing),
        ("gl_PointCoord", Stage::Fragment, vec2, Builtin::PointCoord),
    ];
    match language {
        Language::Es100 => variables.push(("gl_FragDepthEXT", Stage::Fragment, Type::FLOAT, Builtin::FragDepth)),
        Language::Es300 | Language::Es310 => variables.extend([
            ("gl_VertexID", Stage::Vertex, Type::INT, Builtin::VertexId),
            ("gl_InstanceID", Stage::Vertex, Type::INT, Builtin::InstanceId),
            ("gl_FragDepth", Stage::Fragment, Type::FLOAT, Builtin::FragDepth),
        ]),
    }
    variables
}

/// The stage that a built-in variable belongs to.
pub(crate) fn stage_of_builtin(language: Language, name: &str) -> Option<Stage> {
    if language == Language::Es100 && matches!(name, "gl_FragColor" | "gl_FragData") {
        return Some(Stage::Fragment);
    }
    builtin_variables(language).into_iter().find(|(known, ..)| *known == name).map(|(_, stage, ..)| stage)
}

impl Checker<'_, '_> {
    pub(super) fn declare_builtins(&mut self) {
        let language = self.program.language;
        for (name, stage, ty, builtin) in builtin_variables(language) {
            if stage == self.program.stage {
                self.add_variable(name, ty, VariableKind::Builtin(builtin), 0);
            }
        }
        let mut limits = match language {
            Language::Es100 => LIMITS_OF_ES100.to_vec(),
            Language::Es300 | Language::Es310 => LIMITS.to_vec(),
        };
        if language == Language::Es100 {
            let buffers = if self.extensions.contains(DRAW_BUFFERS) { DRAW_BUFFERS_AT_ONCE } else { 1 };
            limits.push(("gl_MaxDrawBuffers", buffers as i32));
            self.declare_outputs_of_es100(buffers);
        }
        for (name, value) in limits {
            let id = self.add_variable(name, Type::INT, VariableKind::Const, 0);
            self.set_value(id, Some(Arc::new([Component::Int(value)])));
        }
        let member = |name: &str| (name.to_owned(), Type::FLOAT);
        let members = vec![member("near"), member("far"), member("diff")];
        let of = Struct { id: 0, name: "gl_DepthRangeParameters".to_owned(), members, depth: 1 };
        let of = Arc::new(of);
        self.program.structs.push(Arc::clone(&of));
        self.program.member_precisions.push(Vec::new());
        self.scopes.declare("gl_DepthRangeParameters", Entity::Struct(Arc::clone(&of)), 0);
        let id = self.add_variable("gl_DepthRange", Type::Struct(of), VariableKind::Const, 0);
        self.set_value(id, Some([0.0, 1.0, 1.0].map(Component::Float).into()));
    }

    fn declare_outputs_of_es100(&mut self, buffers: u32) {
        if self.program.stage == Stage::Vertex {
            return;
        }
        let kind = VariableKind::Output(Interface { location: Some(0), ..Interface::default() });
        let colour = Type::vector(Scalar::Float, 4);
        self.add_variable("gl_FragColor", colour.clone(), kind, 0);
        self.add_variable("gl_FragData", Type::Array(Arc::new(colour), buffers), kind, 0);
    }
}
