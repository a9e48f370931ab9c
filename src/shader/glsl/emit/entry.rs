//! The module around the functions: declarations and the entry point, which moves inputs and outputs between WGSL's
//! parameters and the private variables that stand for GLSL's globals.

use super::super::error::Result;
use super::super::link::GROUP;
use super::super::source::Stage;
use super::super::typed::{Builtin, Interface, Variable, VariableId, VariableKind};
use super::super::types::{Scalar, Type};
use super::super::{FRAGMENT_ENTRY, VERTEX_ENTRY};
use super::types::{member, numeric};
use super::{Entity, Writer, mangle};

/// Input and output lists of an entry point.
#[derive(Default)]
struct Entry {
    inputs: Vec<String>,
    before: Vec<String>,
    outputs: Vec<String>,
    after: Vec<String>,
}

impl Writer<'_> {
    /// The whole module.
    pub(super) fn module(&mut self) -> Result<String> {
        let program = self.program;
        for id in &program.reachable {
            if let Some(function) = program.functions.get(id.0) {
                self.function(function, id.0)?;
            }
        }
        let functions = std::mem::take(&mut self.out);
        self.indent = 1;
        let globals = self.globals()?;
        let initialisation = std::mem::take(&mut self.out);
        let mut entry = Entry::default();
        match program.stage {
            Stage::Vertex => self.vertex_interface(&mut entry),
            Stage::Fragment => self.fragment_interface(&mut entry),
        }
        let entry = self.entry(&entry, &initialisation);
        let mut module = String::with_capacity(functions.len() + 4096);
        self.structs.iter().for_each(|text| module.push_str(text));
        self.resources.values().for_each(|text| module.push_str(text));
        module.push_str(&globals);
        self.runtime.values().for_each(|text| module.push_str(text));
        module.push_str(&functions);
        module.push_str(&entry);
        Ok(module)
    }

    /// Declares private variables; what gives them their first values is written to `out`.
    fn globals(&mut self) -> Result<String> {
        let program = self.program;
        let mut text = String::new();
        let mut declare = |writer: &mut Self, id: usize, variable: &Variable| {
            let ty = writer.ty(&variable.ty);
            text.push_str(&format!("var<private> {}: {ty};\n", mangle(Entity::Variable, &variable.name, id)));
        };
        for (id, variable) in program.variables.iter().enumerate() {
            let is_private =
                matches!(variable.kind, VariableKind::Input(_) | VariableKind::Output(_) | VariableKind::Builtin(_));
            let always = variable.kind == VariableKind::Builtin(Builtin::Position);
            if is_private && (variable.used || always) {
                declare(self, id, variable);
            }
        }
        // gl_DepthRange, the one constant that the language declares with members.
        for (id, variable) in program.variables.iter().enumerate() {
            if variable.name == "gl_DepthRange" && variable.used {
                declare(self, id, variable);
                if let Some(value) = variable.value.clone() {
                    let value = self.literal(&variable.ty, &value);
                    self.line(&format!("{} = {};", mangle(Entity::Variable, &variable.name, id), value.code));
                }
            }
        }
        for (id, init) in &program.globals {
            let Some(variable) = program.variable(*id) else { continue };
            if !variable.used || self.is_inlined(*id) {
                continue;
            }
            declare(self, id.0, variable);
            if let Some(init) = init {
                let value = self.value(init)?;
                self.line(&format!("{} = {};", mangle(Entity::Variable, &variable.name, id.0), value.code));
            }
        }
        Ok(text)
    }

    fn find(&self, wanted: VariableKind) -> Option<(String, &Variable)> {
        let found = self.program.variables.iter().enumerate().find(|(_, variable)| variable.kind == wanted);
        found.map(|(id, variable)| (mangle(Entity::Variable, &variable.name, id), variable))
    }

    fn by_name(&self, name: &str, is_output: bool) -> Option<(String, Type)> {
        let found = self.program.variables.iter().enumerate().find(|(_, variable)| {
            variable.name == name
                && match variable.kind {
                    VariableKind::Input(_) => !is_output,
                    VariableKind::Output(_) => is_output,
                    _ => false,
                }
        });
        found.map(|(id, variable)| (self.name(VariableId(id)), variable.ty.clone()))
    }

    fn vertex_interface(&mut self, entry: &mut Entry) {
        for (which, builtin) in [(Builtin::VertexId, "vertex_index"), (Builtin::InstanceId, "instance_index")] {
            if let Some((name, _)) = self.find(VariableKind::Builtin(which)).filter(|(_, variable)| variable.used) {
                entry.inputs.push(format!("@builtin({builtin}) {builtin}: u32"));
                entry.before.push(format!("{name} = i32(input.{builtin});"));
            }
        }
        let plan = self.plan;
        for attribute in plan.attributes.iter().filter(|attribute| attribute.active) {
            let Some((name, ty)) = self.by_name(&attribute.name, false) else { continue };
            for (at, (part, text)) in leaves(&name, &ty).into_iter().enumerate() {
                let location = attribute.location + at as u32;
                entry.inputs.push(format!("@location({location}) a{location}: {}", leaf_type(&text)));
                entry.before.push(format!("{part} = input.a{location};"));
            }
        }
        let Some((position, _)) = self.find(VariableKind::Builtin(Builtin::Position)) else { return };
        let invariant = if self.program.position_is_invariant { " @invariant" } else { "" };
        entry.outputs.push(format!("@builtin(position){invariant} position: vec4<f32>"));
        entry.after.push(match plan.naga_convention {
            true => format!("output.position = {position};"),
            // From GL's depth of -w to w to WebGPU's of 0 to w.
            false => format!(
                "output.position = vec4<f32>({position}.xy, ({position}.z + {position}.w) * 0.5f, {position}.w);"
            ),
        });
        for varying in &plan.varyings {
            let Some((name, ty)) = self.by_name(&varying.name, true) else { continue };
            let is_used = self.program.variables.iter().any(|variable| {
                variable.name == varying.name && variable.used && matches!(variable.kind, VariableKind::Output(_))
            });
            for (at, (part, text)) in leaves(&name, &ty).into_iter().enumerate() {
                let location = varying.location + at as u32;
                entry.outputs.push(varying_member(location, varying.interface, &text));
                if is_used {
                    entry.after.push(format!("output.v{location} = {part};"));
                }
            }
        }
    }

    fn fragment_interface(&mut self, entry: &mut Entry) {
        let used = |writer: &Self, which| {
            writer.find(VariableKind::Builtin(which)).filter(|(_, variable)| variable.used).map(|(name, _)| name)
        };
        let coordinate = used(self, Builtin::FragCoord);
        let depth = used(self, Builtin::FragDepth);
        let writes_depth = self.find(VariableKind::Builtin(Builtin::FragDepth)).is_some_and(|(_, depth)| depth.written);
        if coordinate.is_some() || depth.is_some() {
            entry.inputs.push("@builtin(position) position: vec4<f32>".to_owned());
        }
        if let Some(name) = coordinate {
            match self.plan.target_binding {
                Some(binding) => {
                    let declaration =
                        format!("@group({GROUP}) @binding({binding}) var<uniform> gl_target: vec4<f32>;\n");
                    self.resources.insert(binding, declaration);
                    let y = "gl_target.y - input.position.y";
                    entry.before.push(format!("{name} = vec4<f32>(input.position.x, {y}, input.position.zw);"));
                }
                None => entry.before.push(format!("{name} = input.position;")),
            }
        }
        if let Some(name) = used(self, Builtin::FrontFacing) {
            entry.inputs.push("@builtin(front_facing) front_facing: bool".to_owned());
            entry.before.push(format!("{name} = input.front_facing;"));
        }
        if let Some(name) = depth {
            entry.before.push(format!("{name} = input.position.z;"));
            if writes_depth {
                entry.outputs.push("@builtin(frag_depth) depth: f32".to_owned());
                entry.after.push(format!("output.depth = {name};"));
            }
        }
        let plan = self.plan;
        for varying in &plan.varyings {
            let Some((name, ty)) = self.by_name(&varying.name, false) else { continue };
            for (at, (part, text)) in leaves(&name, &ty).into_iter().enumerate() {
                let location = varying.location + at as u32;
                entry.inputs.push(varying_member(location, varying.interface, &text));
                entry.before.push(format!("{part} = input.v{location};"));
            }
        }
        for (output, first) in &plan.outputs {
            let Some((name, ty)) = self.by_name(output, true) else { continue };
            let is_used = self.program.variables.iter().any(|variable| {
                variable.name == *output && variable.used && matches!(variable.kind, VariableKind::Output(_))
            });
            for (at, (part, text)) in leaves(&name, &ty).into_iter().enumerate() {
                let location = first + at as u32;
                let Type::Numeric(scalar, _, size) = text else { continue };
                entry.outputs.push(format!("@location({location}) o{location}: {}", numeric(scalar, 1, 4)));
                if is_used {
                    entry.after.push(format!("output.o{location} = {};", widened(&part, scalar, size)));
                }
            }
        }
    }

    fn entry(&self, entry: &Entry, initialisation: &str) -> String {
        let mut text = String::new();
        let list = |name: &str, members: &[String]| match members {
            [] => String::new(),
            members => format!("struct {name} {{\n  {},\n}}\n", members.join(",\n  ")),
        };
        text.push_str(&list("gl_Input", &entry.inputs));
        text.push_str(&list("gl_Output", &entry.outputs));
        let (attribute, function) = match self.program.stage {
            Stage::Vertex => ("@vertex", VERTEX_ENTRY),
            Stage::Fragment => ("@fragment", FRAGMENT_ENTRY),
        };
        let parameter = if entry.inputs.is_empty() { "" } else { "input: gl_Input" };
        let returns = if entry.outputs.is_empty() { "" } else { " -> gl_Output" };
        text.push_str(&format!("{attribute} fn {function}({parameter}){returns} {{\n"));
        entry.before.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text.push_str(initialisation);
        if let Some(main) = self.program.reachable.last() {
            text.push_str(&format!("  {}();\n", mangle(Entity::Function, "main", main.0)));
        }
        if !entry.outputs.is_empty() {
            text.push_str("  var output: gl_Output;\n");
            entry.after.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
            text.push_str("  return output;\n");
        }
        text.push_str("}\n");
        text
    }
}

/// The scalars and vectors that a value is passed in, each with the text that reaches it.
fn leaves(name: &str, ty: &Type) -> Vec<(String, Type)> {
    match ty {
        Type::Numeric(_, 1, _) => vec![(name.to_owned(), ty.clone())],
        Type::Numeric(scalar, columns, rows) => {
            (0..*columns).map(|column| (format!("{name}[{column}]"), Type::vector(*scalar, *rows))).collect()
        }
        Type::Array(of, length) => (0..*length).flat_map(|index| leaves(&format!("{name}[{index}]"), of)).collect(),
        Type::Struct(of) => {
            of.members.iter().flat_map(|(part, ty)| leaves(&format!("{name}.{}", member(part)), ty)).collect()
        }
        Type::Void | Type::Sampler(_) => Vec::new(),
    }
}

fn leaf_type(ty: &Type) -> String {
    match ty {
        Type::Numeric(scalar, columns, rows) => numeric(*scalar, *columns, *rows),
        _ => String::new(),
    }
}

fn varying_member(location: u32, interface: Interface, ty: &Type) -> String {
    let interpolation = match (interface.flat, interface.centroid) {
        (true, _) => " @interpolate(flat)",
        (false, true) => " @interpolate(perspective, centroid)",
        (false, false) => "",
    };
    format!("@location({location}){interpolation} v{location}: {}", leaf_type(ty))
}

/// Four components, as every colour target takes: what is missing is 0, and alpha 1.
fn widened(part: &str, scalar: Scalar, size: u8) -> String {
    let (zero, one) = match scalar {
        Scalar::Float => ("0.0f", "1.0f"),
        Scalar::Int => ("0i", "1i"),
        _ => ("0u", "1u"),
    };
    if size == 4 {
        return part.to_owned();
    }
    let mut parts = vec![part];
    parts.extend((size..3).map(|_| zero));
    parts.push(one);
    format!("{}({})", numeric(scalar, 1, 4), parts.join(", "))
}
