//! The module around the functions: declarations and the entry point, which moves inputs and outputs between WGSL's
//! parameters and the private variables that stand for GLSL's globals.

use std::borrow::Cow;

use super::super::error::Result;
use super::super::link::GROUP;
use super::super::source::Stage;
use super::super::typed::{Builtin, Interface, Variable, VariableId, VariableKind};
use super::super::types::{Scalar, Type};
use super::super::{FRAGMENT_ENTRY, VERTEX_ENTRY};
use super::code::write_block;
use super::types::{member, numeric, vector};
use super::{Block, Entity, Statement, Value, Writer, mangle};

/// Input and output lists of an entry point.
#[derive(Default)]
struct Entry {
    inputs: Vec<String>,
    before: Block,
    outputs: Vec<String>,
    after: Block,
}

impl Writer<'_> {
    /// The whole module.
    pub(super) fn module(&mut self) -> Result<String> {
        let program = self.program;
        let mut functions = String::new();
        for id in &program.reachable {
            if let Some(function) = program.functions.get(id.0) {
                functions.push_str(&self.function(function, id.0)?);
            }
        }
        let globals = self.globals()?;
        let initialisation = std::mem::take(&mut self.block);
        let mut entry = Entry::default();
        match program.stage {
            Stage::Vertex => self.vertex_interface(&mut entry),
            Stage::Fragment => self.fragment_interface(&mut entry),
        }
        let entry = self.entry(entry, initialisation);
        let mut module = String::with_capacity(functions.len() + 4096);
        self.structs.iter().for_each(|text| module.push_str(text));
        self.resources.values().for_each(|text| module.push_str(text));
        module.push_str(&globals);
        self.runtime.values().for_each(|text| module.push_str(text));
        module.push_str(&functions);
        module.push_str(&entry);
        Ok(module)
    }

    /// Declares private variables; what gives them their first values is written to the current block.
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
                    self.push(Statement::Assign(self.variable(VariableId(id)), value));
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
                self.push(Statement::Assign(self.variable(*id), value));
            }
        }
        Ok(text)
    }

    fn find(&self, wanted: VariableKind) -> Option<(Value, &Variable)> {
        let found = self.program.variables.iter().enumerate().find(|(_, variable)| variable.kind == wanted);
        found.map(|(id, variable)| (self.variable(VariableId(id)), variable))
    }

    fn by_name(&self, name: &str, is_output: bool) -> Option<(Value, Type)> {
        let found = self.program.variables.iter().enumerate().find(|(_, variable)| {
            variable.name == name
                && match variable.kind {
                    VariableKind::Input(_) => !is_output,
                    VariableKind::Output(_) => is_output,
                    _ => false,
                }
        });
        found.map(|(id, variable)| (self.variable(VariableId(id)), variable.ty.clone()))
    }

    fn vertex_interface(&mut self, entry: &mut Entry) {
        for (which, builtin) in [(Builtin::VertexId, "vertex_index"), (Builtin::InstanceId, "instance_index")] {
            if let Some((name, _)) = self.find(VariableKind::Builtin(which)).filter(|(_, variable)| variable.used) {
                entry.inputs.push(format!("@builtin({builtin}) {builtin}: u32"));
                entry.before.push(Statement::Assign(name, Value::call("i32", vec![input(builtin)])));
            }
        }
        let plan = self.plan;
        for attribute in plan.attributes.iter().filter(|attribute| attribute.active) {
            let Some((name, ty)) = self.by_name(&attribute.name, false) else { continue };
            for (at, (part, leaf)) in leaves(&name, &ty).into_iter().enumerate() {
                let location = attribute.location + at as u32;
                entry.inputs.push(format!("@location({location}) a{location}: {}", leaf_type(&leaf)));
                entry.before.push(Statement::Assign(part, input(format!("a{location}"))));
            }
        }
        let Some((position, _)) = self.find(VariableKind::Builtin(Builtin::Position)) else { return };
        let invariant = if self.program.position_is_invariant { " @invariant" } else { "" };
        entry.outputs.push(format!("@builtin(position){invariant} position: vec4<f32>"));
        // From GL's depth of -w to w to WebGPU's of 0 to w.
        let in_clip_space = |position: Value| {
            let (z, w) = (position.member("z"), position.member("w"));
            let depth = z.infix("+", &w).infix("*", &Value::literal("0.5f"));
            Value::call(vector(Scalar::Float, 4), vec![position.member("xy"), depth, w])
        };
        let position = if plan.naga_convention { position } else { in_clip_space(position) };
        entry.after.push(Statement::Assign(output("position"), position));
        for varying in &plan.varyings {
            let Some((name, ty)) = self.by_name(&varying.name, true) else { continue };
            let is_used = self.program.variables.iter().any(|variable| {
                variable.name == varying.name && variable.used && matches!(variable.kind, VariableKind::Output(_))
            });
            for (at, (part, leaf)) in leaves(&name, &ty).into_iter().enumerate() {
                let location = varying.location + at as u32;
                entry.outputs.push(varying_member(location, varying.interface, &leaf));
                if is_used {
                    entry.after.push(Statement::Assign(output(format!("v{location}")), part));
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
                    let position = input("position");
                    let y = Value::fixed("gl_target").member("y").infix("-", &position.member("y"));
                    let parts = vec![position.member("x"), y, position.member("zw")];
                    entry.before.push(Statement::Assign(name, Value::call(vector(Scalar::Float, 4), parts)));
                }
                None => entry.before.push(Statement::Assign(name, input("position"))),
            }
        }
        if let Some(name) = used(self, Builtin::FrontFacing) {
            entry.inputs.push("@builtin(front_facing) front_facing: bool".to_owned());
            entry.before.push(Statement::Assign(name, input("front_facing")));
        }
        if let Some(name) = depth {
            entry.before.push(Statement::Assign(name.clone(), input("position").member("z")));
            if writes_depth {
                entry.outputs.push("@builtin(frag_depth) depth: f32".to_owned());
                entry.after.push(Statement::Assign(output("depth"), name));
            }
        }
        let plan = self.plan;
        for varying in &plan.varyings {
            let Some((name, ty)) = self.by_name(&varying.name, false) else { continue };
            for (at, (part, leaf)) in leaves(&name, &ty).into_iter().enumerate() {
                let location = varying.location + at as u32;
                entry.inputs.push(varying_member(location, varying.interface, &leaf));
                entry.before.push(Statement::Assign(part, input(format!("v{location}"))));
            }
        }
        for (of_text, first) in &plan.outputs {
            let Some((name, ty)) = self.by_name(of_text, true) else { continue };
            let is_used = self.program.variables.iter().any(|variable| {
                variable.name == *of_text && variable.used && matches!(variable.kind, VariableKind::Output(_))
            });
            for (at, (part, leaf)) in leaves(&name, &ty).into_iter().enumerate() {
                let location = first + at as u32;
                let Type::Numeric(scalar, _, size) = leaf else { continue };
                entry.outputs.push(format!("@location({location}) o{location}: {}", numeric(scalar, 1, 4)));
                if is_used {
                    let value = widened(part, scalar, size);
                    entry.after.push(Statement::Assign(output(format!("o{location}")), value));
                }
            }
        }
    }

    fn entry(&self, Entry { inputs, before, outputs, after }: Entry, initialisation: Block) -> String {
        let mut text = String::new();
        let list = |name: &str, members: &[String]| match members {
            [] => String::new(),
            members => format!("struct {name} {{\n  {},\n}}\n", members.join(",\n  ")),
        };
        text.push_str(&list("gl_Input", &inputs));
        text.push_str(&list("gl_Output", &outputs));
        let (attribute, function) = match self.program.stage {
            Stage::Vertex => ("@vertex", VERTEX_ENTRY),
            Stage::Fragment => ("@fragment", FRAGMENT_ENTRY),
        };
        let parameter = if inputs.is_empty() { "" } else { "input: gl_Input" };
        let returns = if outputs.is_empty() { "" } else { " -> gl_Output" };
        text.push_str(&format!("{attribute} fn {function}({parameter}){returns} {{\n"));
        let mut body = before;
        body.extend(initialisation);
        if let Some(main) = self.program.reachable.last() {
            body.push(Statement::Call(Value::call(mangle(Entity::Function, "main", main.0), Vec::new())));
        }
        if !outputs.is_empty() {
            let (name, ty) = ("output".to_owned(), Some("gl_Output".to_owned()));
            body.push(Statement::Var { name, ty, value: None });
            body.extend(after);
            body.push(Statement::Return(Some(Value::read("output"))));
        }
        write_block(&body, &mut text, 1);
        text.push_str("}\n");
        text
    }
}

/// A member of the entry point's parameter.
fn input(name: impl Into<Cow<'static, str>>) -> Value {
    Value::fixed("input").member(name)
}

/// A member of what the entry point returns.
fn output(name: impl Into<Cow<'static, str>>) -> Value {
    Value::read("output").member(name)
}

/// The scalars and vectors that a value is passed in.
fn leaves(value: &Value, ty: &Type) -> Vec<(Value, Type)> {
    match ty {
        Type::Numeric(_, 1, _) => vec![(value.clone(), ty.clone())],
        Type::Numeric(scalar, columns, rows) => {
            (0..*columns).map(|column| (value.column(column), Type::vector(*scalar, *rows))).collect()
        }
        Type::Array(of, length) => {
            let elements = (0..*length).map(|index| value.element(&Value::literal(index.to_string())));
            elements.flat_map(|element| leaves(&element, of)).collect()
        }
        Type::Struct(of) => of.members.iter().flat_map(|(part, ty)| leaves(&value.member(member(part)), ty)).collect(),
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
fn widened(part: Value, scalar: Scalar, size: u8) -> Value {
    let (zero, one) = match scalar {
        Scalar::Float => ("0.0f", "1.0f"),
        Scalar::Int => ("0i", "1i"),
        _ => ("0u", "1u"),
    };
    if size == 4 {
        return part;
    }
    let mut parts = vec![part];
    parts.extend((size..3).map(|_| Value::literal(zero)));
    parts.push(Value::literal(one));
    Value::call(numeric(scalar, 1, 4), parts)
}
