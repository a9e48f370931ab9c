//! Both texts of a random program.

use std::sync::Arc;

use glsl_es::{Scalar, Type};

use super::super::cases::{Case, HEADER};
use super::super::random::Choices;
use super::types::{float, matrix, vector};
use super::{Callable, Generator, Way};

const VERTEX_HEADER: &str = "#version 300 es
precision highp float; precision highp int;
precision highp sampler2D; precision highp sampler3D; precision highp samplerCube; precision highp sampler2DArray;
precision highp isampler2D; precision highp usampler2D; precision highp isampler3D; precision highp usampler2DArray;
precision highp sampler2DShadow; precision highp sampler2DArrayShadow; precision highp samplerCubeShadow;
in vec4 a_position; in vec4 a_color; in vec4 a_extra;
out vec4 v_a; out vec4 v_b;
";

/// Squeezes floats into −4..4.
fn squeezers() -> String {
    let mut text = String::new();
    for size in 1..=4 {
        let ty = float(size);
        text += &format!("{ty} t({ty} x) {{ return x / (1.0 + abs(x) * 0.25); }}\n");
    }
    for columns in 2..=4 {
        for rows in 2..=4 {
            let ty = matrix(columns, rows);
            let parts: Vec<String> = (0..columns).map(|column| format!("t(m[{column}])")).collect();
            text += &format!("{ty} t({ty} m) {{ return {ty}({}); }}\n", parts.join(", "));
        }
    }
    text
}

const SAMPLERS: [&str; 12] = [
    "sampler2D",
    "sampler2D",
    "sampler3D",
    "samplerCube",
    "sampler2DArray",
    "isampler2D",
    "usampler2D",
    "isampler3D",
    "usampler2DArray",
    "sampler2DShadow",
    "sampler2DArrayShadow",
    "samplerCubeShadow",
];

/// Declarations that both stages share.
struct Shared {
    structs: Vec<Arc<glsl_es::Struct>>,
    text: String,
    uniforms: Vec<(String, Type)>,
    textures: Vec<(String, &'static str)>,
    /// Name, type, whether flat.
    varyings: Vec<(String, Type, bool)>,
}

fn generator(choices: Choices, vertex: bool) -> Generator {
    Generator {
        choices,
        vertex,
        structs: Vec::new(),
        scopes: vec![Vec::new()],
        functions: Vec::new(),
        textures: Vec::new(),
        next: 0,
        out: String::new(),
        loops: 0,
        do_loops: 0,
        in_do: false,
        together: !vertex,
        left: false,
        constant: false,
        indices_first: false,
        returns: None,
        may_write_globals: true,
        wrote_globals: false,
        macros: Vec::new(),
    }
}

fn shared(choices: &mut Generator) -> Shared {
    let mut text = String::new();
    for _ in 0..choices.choices.below(4) {
        text += &choices.new_struct();
    }
    let mut uniforms = Vec::new();
    for _ in 0..1 + choices.choices.below(4) {
        let (name, ty) = (choices.name("u"), choices.any_type());
        text += &format!("uniform {};\n", choices.declared(&ty, &name).replace("highp ", ""));
        uniforms.push((name, ty));
    }
    for block in 0..choices.choices.below(3) {
        let layout = choices.pick(&["std140", "std140, row_major", "std140, column_major"]);
        let instance = choices.one_in(2).then(|| choices.name("b"));
        text += &format!("layout({layout}) uniform B{block} {{\n");
        for _ in 0..1 + choices.choices.below(5) {
            let (name, ty) = (choices.name("u"), choices.any_type());
            let own = match choices.choices.below(6) {
                0 if ty.is_matrix() => "layout(row_major) ",
                1 if ty.is_matrix() => "layout(column_major) ",
                _ => "",
            };
            text += &format!("  {own}{};\n", choices.declared(&ty, &name).replace("highp ", ""));
            let seen = instance.as_ref().map_or(name.clone(), |instance| format!("{instance}.{name}"));
            uniforms.push((seen, ty));
        }
        text += &format!("}} {};\n", instance.unwrap_or_default());
    }
    let mut textures = Vec::new();
    for _ in 0..choices.choices.below(3) {
        let (name, kind) = (choices.name("s"), choices.pick(&SAMPLERS));
        text += &format!("uniform {kind} {name};\n");
        textures.push((name, kind));
    }
    let mut varyings = Vec::new();
    let mut slots = 2;
    for _ in 0..choices.choices.below(4) {
        let flat = choices.one_in(4);
        let size = 1 + choices.choices.below(4);
        let ty = match choices.choices.below(6) {
            0 => matrix(2 + choices.choices.below(3), 1 + size.max(2) - 1),
            1 => Type::Array(Arc::new(float(size)), 1 + choices.choices.below(3) as u32),
            2 if flat => vector(choices.pick(&[Scalar::Int, Scalar::Uint]), size),
            _ => float(size),
        };
        slots += 4;
        if slots <= 14 {
            varyings.push((choices.name("v"), ty, flat));
        }
    }
    Shared { structs: choices.structs.clone(), text, uniforms, textures, varyings }
}

impl Generator {
    fn take(&mut self, shared: &Shared) {
        self.structs.clone_from(&shared.structs);
        self.textures.clone_from(&shared.textures);
        for (name, ty) in &shared.uniforms {
            self.declare(name.clone(), ty.clone(), false, false);
        }
    }

    /// Globals, constants and macros.
    fn globals(&mut self) {
        for _ in 0..self.choices.below(4) {
            let constant = self.one_in(2);
            self.constant = true;
            let ty = self.any_type();
            let value = self.expression(&ty, 3);
            self.constant = false;
            let name = self.name(if constant { "c" } else { "g" });
            let declared = self.declared(&ty, &name);
            self.line(&format!("{}{declared} = {value};", if constant { "const " } else { "" }));
            self.declare(name, ty, !constant, constant);
        }
        for _ in 0..self.choices.below(4) {
            let count = self.choices.below(4);
            let name = self.name("M");
            let body = match count {
                0 => "0.3 /* of */ + \\\n 0.4".to_owned(),
                1 => "t((p) * 0.7 - 0.3)".to_owned(),
                2 => "((p) * 0.6 - (q) * (p) * 0.1)".to_owned(),
                _ => "mix((p), (q), clamp(r, 0.1, 0.9))".to_owned(),
            };
            let parameters = ["", "(p)", "(p, q)", "( p , q,r )"][count];
            let guard = self.pick(&["GL_ES", "__VERSION__"]);
            let text = match self.choices.below(3) {
                0 => format!("#define {name}{parameters} {body}"),
                1 => format!("#ifdef {guard}\n  # define {name}{parameters} {body}\n#else\nit's no GLSL\n#endif"),
                _ => format!(
                    "#if defined({guard}) && (__VERSION__ / 100 == 3 || 0 > 1)\n#define {name}{parameters} {body}\n#elif 1\n#error never\n#endif"
                ),
            };
            self.line(&text);
            self.macros.push((name, count));
        }
    }

    fn function(&mut self) {
        // An overload, if the types allow.
        let name = match self.functions.last().map(|last| last.name.clone()) {
            Some(last) if self.one_in(3) => last,
            _ => self.name("f"),
        };
        let returns = if self.one_in(4) { Type::Void } else { self.any_type() };
        let mut parameters = Vec::new();
        for _ in 0..self.choices.below(4) {
            let way = self.pick(&[Way::In, Way::In, Way::Out, Way::InOut]);
            parameters.push((self.any_type(), way));
        }
        let same = |of: &Callable| {
            of.name == name
                && of.parameters.len() == parameters.len()
                && of.parameters.iter().zip(&parameters).all(|((a, _), (b, _))| a == b)
        };
        if self.functions.iter().any(same) {
            return;
        }
        self.scopes.push(Vec::new());
        let mut heads = Vec::new();
        let mut outs = Vec::new();
        for (ty, way) in &parameters {
            let parameter = self.name("p");
            let declared = self.declared(ty, &parameter);
            let (word, writable) = match way {
                Way::In if self.one_in(4) => ("const ", false),
                Way::In if self.one_in(4) => ("in ", true),
                Way::In => ("", true),
                Way::Out => ("out ", true),
                Way::InOut => ("inout ", true),
            };
            heads.push(format!("{word}{declared}"));
            if *way == Way::Out {
                outs.push((parameter.clone(), ty.clone()));
            } else {
                self.declare(parameter, ty.clone(), writable, false);
            }
        }
        let before = std::mem::take(&mut self.out);
        let together = std::mem::replace(&mut self.together, false);
        self.returns = Some(returns.clone());
        self.may_write_globals = self.one_in(3);
        self.wrote_globals = false;
        for (parameter, ty) in outs {
            let value = self.kept(&ty, 2);
            self.line(&format!("{parameter} = {value};"));
            self.declare(parameter, ty, true, false);
        }
        self.scopes.push(Vec::new());
        for _ in 0..1 + self.choices.below(4) {
            self.statement(2);
        }
        self.last_return();
        self.scopes.pop();
        self.scopes.pop();
        let body = std::mem::replace(&mut self.out, before);
        let prototype = format!("{returns} {name}({})", heads.join(", "));
        if self.one_in(5) {
            self.line(&format!("{prototype};"));
        }
        self.line(&format!("{prototype} {{\n{body}}}"));
        self.functions.push(Callable { name, returns, parameters, pure: !self.wrote_globals });
        self.returns = None;
        self.may_write_globals = true;
        self.together = together;
    }

    /// Everything up to `main`.
    fn preamble(&mut self) {
        self.globals();
        for _ in 0..self.choices.below(5) {
            self.function();
        }
    }
}

fn vertex_text(seed: u64, shared: &Shared) -> String {
    let mut writer = generator(Choices::new(seed), true);
    writer.next = 1000;
    writer.take(shared);
    writer.preamble();
    let mut declarations = String::new();
    for (name, ty, flat) in &shared.varyings {
        declarations += &format!("{}out {ty} {name};\n", if *flat { "flat " } else { "" });
    }
    writer.line("void main() {\nv_a = a_color; v_b = a_extra; gl_Position = a_position;");
    writer.scopes.push(Vec::new());
    for _ in 0..writer.choices.below(5) {
        writer.statement(2);
    }
    for (name, ty, flat) in &shared.varyings {
        // GL's flat varyings are the last vertex's, WebGPU's the first's: here they are the same.
        writer.constant = *flat;
        let value = writer.kept(ty, 2);
        writer.constant = false;
        writer.line(&format!("{name} = {value};"));
    }
    format!("{VERTEX_HEADER}{declarations}{}{}{}}}\n", squeezers(), shared.text, writer.out)
}

fn fragment_text(seed: u64, shared: &Shared) -> String {
    let mut writer = generator(Choices::new(seed), false);
    writer.next = 1000;
    writer.take(shared);
    let mut declarations = String::new();
    for (name, ty, flat) in &shared.varyings {
        declarations += &format!("{}in {ty} {name};\n", if *flat { "flat " } else { "" });
        writer.declare(name.clone(), ty.clone(), false, false);
    }
    writer.preamble();
    writer.line("void main() {");
    writer.scopes.push(Vec::new());
    for _ in 0..4 + writer.choices.below(8) {
        writer.statement(3);
    }
    let mut variables = writer.scopes.last().cloned().unwrap_or_default();
    let globals = writer.scopes[0].iter().filter(|var| var.name.starts_with(['g', 'v'])).cloned();
    variables.extend(globals);
    let mut shown = Vec::new();
    for _ in 0..4.min(variables.len()) {
        let var = variables.remove(writer.choices.below(variables.len()));
        shown.push(writer.shown(&var));
    }
    if shown.is_empty() {
        shown.push("enc(v_a)".to_owned());
    }
    let weight = 1.0 / shown.len() as f32;
    writer.line(&format!("o = ({}) * {weight:?};", shown.join(" + ")));
    format!("{HEADER}{declarations}{}{}{}}}\n", squeezers(), shared.text, writer.out)
}

pub fn program(seed: u64) -> Case {
    let mut outline = generator(Choices::new(seed), false);
    let shared = shared(&mut outline);
    let vertex = vertex_text(seed ^ 0x5555_0000_0000, &shared);
    let fragment = fragment_text(seed ^ 0x3333_0000_0000, &shared);
    Case { name: format!("wide {seed}"), vertex, fragment }
}
