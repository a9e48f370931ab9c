//! Random expressions of a wanted type. None has effects.

use glsl_es::{Scalar, Type};

use super::Generator;
use super::types::{float, matrix, vector};

const INT: Type = Type::INT;
const BOOL: Type = Type::BOOL;
const FLOAT: Type = Type::FLOAT;

/// Functions of one float, each kept away from where it is undefined or jumps. `{}` is the argument.
const FLOAT_UNARY: [&str; 34] = [
    "sin({})",
    "cos({} * 1.3)",
    "(tan({} * 0.3))",
    "atan({})",
    "tanh({})",
    "abs({})",
    "fract({} * 0.1 + 0.0131)",
    "exp2({} * 0.4)",
    "exp({} * 0.3)",
    "sqrt(abs({}) + 0.1)",
    "inversesqrt(abs({}) + 0.3)",
    "log(abs({}) + 0.2)",
    "log2(abs({}) + 0.3)",
    "sign({} + 0.0137)",
    "(floor({} * 1.3 + 0.0171) * 0.4)",
    "(ceil({} * 1.3 + 0.0171) * 0.4)",
    "(trunc({} * 1.7 + 0.0171) * 0.4)",
    "(round({} * 1.3 + 0.2171) * 0.4)",
    "(roundEven({} * 1.3 + 0.2171) * 0.4)",
    "asin(clamp({} * 0.3, -0.95, 0.95))",
    "acos(clamp({} * 0.3, -0.95, 0.95))",
    "sinh({} * 0.4)",
    "cosh({} * 0.4)",
    "asinh({})",
    "acosh(abs({}) + 1.1)",
    "atanh(clamp({} * 0.2, -0.9, 0.9))",
    "radians({} * 40.0)",
    "degrees({} * 0.02)",
    "(-({}))",
    "(+({}))",
    "t({})",
    "smoothstep(-2.0, 2.0, {})",
    "step(0.0157, {})",
    "clamp({}, -0.7, 0.9)",
];

/// Forms that are for constants: what compilers fold in the same way.
const FLOAT_CONSTANT: [&str; 8] = [
    "abs({})",
    "(-({}))",
    "sqrt(abs({}) + 0.1)",
    "sin({})",
    "exp2({} * 0.4)",
    "(floor({} * 1.3 + 0.0171) * 0.4)",
    "clamp({}, -0.7, 0.9)",
    "(+({}))",
];

/// Functions of two values of the same float type.
const FLOAT_BINARY: [&str; 12] = [
    "({a} + {b})",
    "({a} - {b})",
    "({a} * {b} * 0.4)",
    "({a} / (abs({b}) + 0.8))",
    "min({a}, {b})",
    "max({a}, {b})",
    "mod({a} * 0.5 + 2.0173, 3.7)",
    "pow(abs({a}) + 0.2, {b} * 0.3)",
    "atan({a}, abs({b}) + 0.5)",
    "mix({a}, {b}, 0.3)",
    "reflect({a} * 0.5, t({b}) * 0.3)",
    "faceforward({a}, {b} + 0.0317, t({a}) - 0.0411)",
];

impl Generator {
    /// An expression of any type.
    pub fn expression(&mut self, ty: &Type, depth: usize) -> String {
        let seldom = depth > 0 && !matches!(ty, Type::Numeric(..)) || !self.one_in(4);
        let reads = !seldom || depth == 0 || self.one_in(4);
        if reads && let Some(found) = self.read(ty) {
            return found;
        }
        match ty {
            Type::Numeric(scalar, columns, rows) => {
                let (columns, rows) = (usize::from(*columns), usize::from(*rows));
                if depth == 0 {
                    return self.leaf(ty);
                }
                match self.choices.below(14) {
                    0 => self.ternary(ty, depth),
                    1 if !self.constant => self.call(ty, depth).unwrap_or_else(|| self.leaf(ty)),
                    2 if columns == 1 => self.swizzled(*scalar, rows, depth),
                    3 if columns == 1 && !self.constant => self.element(ty, depth),
                    4 if columns == 1 && rows > 1 || columns > 1 => self.construct(ty, depth),
                    _ => match (scalar, columns) {
                        (Scalar::Float, 1) => self.float(rows, depth),
                        (Scalar::Int, _) => self.int(rows, depth),
                        (Scalar::Uint, _) => self.uint(rows, depth),
                        (Scalar::Bool, _) => self.bool(rows, depth),
                        _ => self.matrix(columns, rows, depth),
                    },
                }
            }
            Type::Struct(of) => {
                let parts: Vec<String> =
                    of.members.iter().map(|(_, ty)| self.expression(ty, depth.saturating_sub(1))).collect();
                format!("{}({})", of.name, parts.join(", "))
            }
            Type::Array(of, length) => {
                let parts: Vec<String> = (0..*length).map(|_| self.expression(of, depth.saturating_sub(1))).collect();
                let size = if self.one_in(2) { length.to_string() } else { String::new() };
                format!("{of}[{size}]({})", parts.join(", "))
            }
            _ => String::new(),
        }
    }

    /// Reads a variable.
    fn read(&mut self, ty: &Type) -> Option<String> {
        let visible: Vec<_> = self.visible().into_iter().filter(|var| var.constant || !self.constant).collect();
        if visible.is_empty() {
            return None;
        }
        for _ in 0..6 {
            let var = self.pick(&visible);
            let Some((path, _)) = self.path(&var.ty, Some(ty), 4) else { continue };
            let text = format!("{}{path}", var.name);
            // Mesa loses the order of a block's swizzled vector that is copied and then indexed at run time.
            return Some(match ty {
                Type::Numeric(scalar, 1, 2..) if var.name.starts_with(['b', 'u']) => match scalar {
                    Scalar::Float => format!("({text} * 0.9)"),
                    Scalar::Int => format!("({text} ^ 1)"),
                    Scalar::Uint => format!("({text} ^ 1u)"),
                    Scalar::Bool => format!("not({text})"),
                },
                _ => text,
            });
        }
        None
    }

    fn literal(&mut self, scalar: Scalar) -> String {
        let number = self.choices.below(97);
        match scalar {
            Scalar::Float => match self.choices.below(5) {
                0 => format!("{}.{number:02}", self.choices.below(3)),
                1 => format!(".{number:02}7"),
                2 => format!("{number}e-1").replace("0e", "1e"),
                3 => format!("-0.{number:02}3"),
                _ => format!("{}.5{}", self.choices.below(3), if self.one_in(2) { "" } else { "f" }),
            },
            Scalar::Int => match self.choices.below(4) {
                0 => format!("{:#x}", number * 7),
                1 => format!("-{number}"),
                2 => format!("0{:o}", number),
                _ => (number % 9).to_string(),
            },
            Scalar::Uint => match self.choices.below(3) {
                0 => format!("{:#X}u", number * 77).replace("0X", "0x"),
                1 => format!("{}U", 4_294_967_000u32 + number as u32),
                _ => format!("{}u", number % 9),
            },
            Scalar::Bool => ["true", "false"][number % 2].to_owned(),
        }
    }

    fn leaf(&mut self, ty: &Type) -> String {
        let Type::Numeric(scalar, columns, rows) = *ty else { return String::new() };
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        if columns > 1 {
            let parts: Vec<String> = (0..columns).map(|_| self.leaf(&float(rows))).collect();
            return format!("{ty}({})", parts.join(", "));
        }
        if !self.constant && self.one_in(2) {
            let base = if self.vertex { ["a_color", "a_extra"] } else { ["v_a", "v_b"] };
            let base = self.pick(&base);
            let part = self.swizzle(rows, 4);
            return match scalar {
                Scalar::Float if self.one_in(4) => format!("({base}.{part} * 3.0 - 1.3)"),
                Scalar::Float => format!("{base}.{part}"),
                Scalar::Int => format!("{ty}({base}.{part} * 9.0 - 3.6171)"),
                Scalar::Uint => format!("{ty}(abs({base}.{part}) * 9.0 + 0.0171)"),
                Scalar::Bool if rows == 1 => format!("({base}.{part} < 0.4871)"),
                Scalar::Bool => format!("lessThan({base}.{part}, {}(0.4871))", float(rows)),
            };
        }
        if rows == 1 {
            return self.literal(scalar);
        }
        let count = if self.one_in(2) { 1 } else { rows };
        let parts: Vec<String> = (0..count).map(|_| self.literal(scalar)).collect();
        format!("{ty}({})", parts.join(", "))
    }

    fn ternary(&mut self, ty: &Type, depth: usize) -> String {
        let condition = self.expression(&BOOL, depth - 1);
        let together = std::mem::replace(&mut self.together, false);
        let (yes, no) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        self.together = together;
        format!("({condition} ? {yes} : {no})")
    }

    fn call(&mut self, ty: &Type, depth: usize) -> Option<String> {
        let fits = |of: &&super::Callable| {
            of.returns == *ty && of.pure && of.parameters.iter().all(|(_, way)| *way == super::Way::In)
        };
        let fitting: Vec<super::Callable> = self.functions.iter().filter(fits).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.pick(&fitting);
        let arguments: Vec<String> = function.parameters.iter().map(|(ty, _)| self.expression(ty, depth - 1)).collect();
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    fn swizzled(&mut self, scalar: Scalar, size: usize, depth: usize) -> String {
        let of = 2 + self.choices.below(3);
        let inner = self.expression(&vector(scalar, of), depth - 1);
        let part = self.swizzle(size, of);
        format!("({inner}).{part}")
    }

    /// An element of something that is no variable.
    fn element(&mut self, ty: &Type, depth: usize) -> String {
        let Type::Numeric(scalar, _, rows) = *ty else { return String::new() };
        let choice = self.choices.below(3);
        if rows == 1 && choice < 2 {
            let of = 2 + self.choices.below(3);
            let inner = self.expression(&vector(scalar, of), depth - 1);
            return format!("({inner})[{}]", self.index(of));
        }
        if scalar == Scalar::Float && rows > 1 && choice < 2 {
            let columns = 2 + self.choices.below(3);
            let inner = self.expression(&matrix(columns, usize::from(rows)), depth - 1);
            return format!("({inner})[{}]", self.index(columns));
        }
        let length = 1 + self.choices.below(3);
        let parts: Vec<String> = (0..length).map(|_| self.expression(ty, depth - 1)).collect();
        format!("{ty}[]({})[{}]", parts.join(", "), self.index(length))
    }

    /// A constructor of a vector or matrix out of parts of any kind.
    fn construct(&mut self, ty: &Type, depth: usize) -> String {
        let Type::Numeric(scalar, columns, rows) = *ty else { return String::new() };
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        if columns > 1 {
            match self.choices.below(4) {
                // Mesa folds `mat4x2(0.3)` to a matrix with a third 0.3 in its last column.
                0 if (columns, rows) != (4, 2) => return format!("{ty}({})", self.expression(&FLOAT, depth - 1)),
                1 if !self.constant => {
                    // Of a constant matrix of another shape Mesa folds the parts that the identity fills wrongly
                    // (`mat4x2(mat2x3(0.3))`, `mat4(mat4x2(0.3))`): what it computes at run time is right.
                    let from = matrix(2 + self.choices.below(3), 2 + self.choices.below(3));
                    let varying = if self.vertex { "a_color.x" } else { "v_a.x" };
                    return format!("{ty}({} + {varying})", self.expression(&from, depth - 1));
                }
                2 => {
                    let parts: Vec<String> = (0..columns).map(|_| self.expression(&float(rows), depth - 1)).collect();
                    return format!("{ty}({})", parts.join(", "));
                }
                _ => {}
            }
        } else if self.one_in(5) {
            return format!("{ty}({})", self.part(scalar, 1, depth));
        } else if self.one_in(6) && scalar == Scalar::Float && !self.constant {
            let from = matrix(2 + self.choices.below(3), 2 + self.choices.below(3));
            return format!("{ty}({})", self.expression(&from, depth - 1));
        }
        let mut left = columns * rows;
        let mut parts = Vec::new();
        while left > 0 {
            let exact = self.one_in(3);
            let size = 1 + self.choices.below(4);
            let size = if exact { size.min(left) } else { size };
            parts.push(self.part(scalar, size, depth));
            left = left.saturating_sub(size);
        }
        format!("{ty}({})", parts.join(", "))
    }

    /// A constructor's argument that converts to `to` in a defined way.
    fn part(&mut self, to: Scalar, size: usize, depth: usize) -> String {
        let from = match (to, self.choices.below(5)) {
            (_, 0 | 1) => to,
            (_, 2) => Scalar::Int,
            (_, 3) => Scalar::Bool,
            _ => Scalar::Uint,
        };
        let inner = self.expression(&vector(from, size), depth - 1);
        match (to, from) {
            // Large integers would drown everything else.
            (Scalar::Float, Scalar::Int) => format!("({inner} & 7)"),
            (Scalar::Float, Scalar::Uint) => format!("({inner} & 7u)"),
            _ => inner,
        }
    }

    fn float(&mut self, size: usize, depth: usize) -> String {
        let ty = float(size);
        let same = |this: &mut Self| this.expression(&ty, depth - 1);
        if self.constant {
            let template = match self.choices.below(3) {
                0 => self.pick(&FLOAT_BINARY[..6]).replace("{b}", &same(self)),
                1 => self.pick(&FLOAT_CONSTANT).replace("{}", "{a}"),
                _ => return self.construct_or(&ty, depth),
            };
            return template.replace("{a}", &same(self));
        }
        match self.choices.below(16) {
            0..=3 => self.pick(&FLOAT_UNARY).replace("{}", &same(self)),
            4..=7 => self.pick(&FLOAT_BINARY).replace("{a}", &same(self)).replace("{b}", &same(self)),
            8 => {
                let (a, b) = (same(self), same(self));
                match self.choices.below(4) {
                    0 => format!("mix({a}, {b}, {})", self.expression(&FLOAT, depth - 1)),
                    1 if size > 1 => format!("mix({a}, {b}, {})", self.expression(&vector(Scalar::Bool, size), 1)),
                    2 => format!("mix({a}, {b}, {}({}))", ty, self.expression(&BOOL, depth - 1)),
                    _ => format!("refract({a} * 0.3, {b} * 0.3, 0.7)"),
                }
            }
            9 if size == 1 => {
                let of = float(1 + self.choices.below(4));
                let (a, b) = (self.expression(&of, depth - 1), self.expression(&of, depth - 1));
                match self.choices.below(4) {
                    0 => format!("(dot({a}, {b}) * 0.3)"),
                    1 => format!("(length({a}) * 0.5)"),
                    2 => format!("(distance({a}, {b} + 0.0113) * 0.5)"),
                    _ => {
                        let size = 2 + self.choices.below(3);
                        format!("(determinant({}) * 0.1)", self.expression(&matrix(size, size), depth - 1))
                    }
                }
            }
            9 if size == 3 => format!("cross({}, {})", same(self), same(self)),
            10 if size > 1 => {
                let other = 2 + self.choices.below(3);
                match self.choices.below(2) {
                    0 => {
                        let m = self.expression(&matrix(other, size), depth - 1);
                        format!("({m} * {} * 0.3)", self.expression(&float(other), depth - 1))
                    }
                    _ => {
                        let m = self.expression(&matrix(size, other), depth - 1);
                        format!("({} * {m} * 0.3)", self.expression(&float(other), depth - 1))
                    }
                }
            }
            11 => format!("({ty}({} & 7) * 0.1)", self.expression(&vector(Scalar::Int, size), depth - 1)),
            12 if size > 1 => {
                let scalar = self.expression(&FLOAT, depth - 1);
                let operator = self.pick(&["+", "-", "*"]);
                match self.choices.below(2) {
                    0 => format!("({scalar} {operator} {})", same(self)),
                    _ => format!("({} {operator} {scalar})", same(self)),
                }
            }
            13 => self.sampled(size, depth),
            14 => self.derivative(&ty, depth),
            15 => self.macro_call(size, depth),
            _ => self.bits(size, depth),
        }
    }

    fn construct_or(&mut self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Numeric(_, 1, 1) => self.leaf(ty),
            _ => self.construct(ty, depth),
        }
    }

    fn bits(&mut self, size: usize, depth: usize) -> String {
        let uint = vector(Scalar::Uint, size);
        let inner = self.expression(&uint, depth - 1);
        match (self.choices.below(3), size) {
            (0, 2) => format!("unpackUnorm2x16({})", self.expression(&Type::UINT, depth - 1)),
            (1, 2) => format!("unpackSnorm2x16({})", self.expression(&Type::UINT, depth - 1)),
            (2, 2) => format!("unpackHalf2x16({} & 0x3bff3bffu)", self.expression(&Type::UINT, depth - 1)),
            _ => format!("(uintBitsToFloat(({inner} & 0x7fffffu) | 0x3f800000u) - 1.5)"),
        }
    }

    fn derivative(&mut self, ty: &Type, depth: usize) -> String {
        let inner = self.expression(ty, depth - 1);
        if self.vertex || !self.together {
            return inner;
        }
        let function = self.pick(&["dFdx", "dFdy", "fwidth"]);
        format!("t({function}({inner}) * 7.0)")
    }

    fn macro_call(&mut self, size: usize, depth: usize) -> String {
        let ty = float(size);
        if self.macros.is_empty() {
            return self.expression(&ty, depth - 1);
        }
        let (name, count) = self.pick(&self.macros.clone());
        let arguments: Vec<String> = (0..count).map(|_| self.expression(&ty, depth - 1)).collect();
        match count {
            0 => format!("({} * {name})", self.expression(&ty, depth - 1)),
            _ => format!("{name}({})", arguments.join(", ")),
        }
    }

    /// A texture function, its result cut or spread to `size`.
    fn sampled(&mut self, size: usize, depth: usize) -> String {
        if self.textures.is_empty() {
            return self.leaf(&float(size));
        }
        let (name, kind) = self.pick(&self.textures.clone());
        let implicit = self.together && !self.vertex;
        let call = self.texture_call(&name, kind, depth, implicit);
        let part = self.swizzle(size, 4);
        let integer = kind.starts_with('i') || kind.starts_with('u');
        if kind.ends_with("Shadow") {
            return format!("{}({call})", float(size));
        }
        match integer {
            true => format!(
                "({}({call}.{part} & {}) * 0.02)",
                float(size),
                if kind.starts_with('u') { "63u" } else { "63" }
            ),
            false => format!("{call}.{part}"),
        }
    }

    fn texture_call(&mut self, name: &str, kind: &str, depth: usize, implicit: bool) -> String {
        let shadow = kind.ends_with("Shadow");
        let integer = kind.starts_with('i') || kind.starts_with('u');
        let shape = kind.trim_start_matches(['i', 'u']).trim_start_matches("sampler").trim_end_matches("Shadow");
        let (plane, coordinates) = match shape {
            "2D" => (2, 2),
            "2DArray" => (2, 3),
            _ => (3, 3),
        };
        let level = format!("(float({} & 1) * 0.7)", self.expression(&INT, 0));
        let offset = format!(
            "ivec{plane}({})",
            (0..plane).map(|_| (self.choices.below(5) as i32 - 2).to_string()).collect::<Vec<_>>().join(", ")
        );
        if !shadow && shape != "Cube" && (integer || self.one_in(3)) {
            return self.fetch(name, shape, plane, depth);
        }
        // Integers and comparisons jump from texel to texel, which lie at multiples of a quarter.
        let shift = if shadow || integer { " * 0.37 + 0.0119" } else { " * 0.7" };
        let form = self.choices.below(7);
        let implicit = implicit && (shadow || form < 3 || form == 3 && shape == "2D");
        let mut at = match implicit {
            true => self.smooth(coordinates, shape),
            false => self.expression(&float(coordinates), depth - 1),
        };
        at = format!("{at}{shift}");
        if shape == "Cube" {
            at = format!("({at}) + vec3(0.31, -0.17, 0.23)");
        }
        if shadow {
            let reference = self.expression(&FLOAT, depth - 1);
            at = format!("vec{}({at}, {reference} * 0.4 + 0.4)", coordinates + 1);
            return match shape {
                "2D" if implicit && self.one_in(2) => format!("textureOffset({name}, {at}, {offset})"),
                _ if implicit => format!("texture({name}, {at})"),
                "2D" => format!("textureLod({name}, {at}, 0.0)"),
                _ => "0.5".to_owned(),
            };
        }
        match form {
            0 if implicit => format!("texture({name}, {at})"),
            1 if implicit => format!("texture({name}, {at}, {level})"),
            2 if implicit && shape != "Cube" => format!("textureOffset({name}, {at}, {offset})"),
            2 if implicit => format!("texture({name}, {at})"),
            3 if implicit => format!("textureProj({name}, vec3({at}, 1.7))"),
            3 if shape == "3D" || shape == "2D" => {
                let pad = if shape == "2D" { ", 9.0" } else { "" };
                format!("textureProjLod({name}, vec4({at}{pad}, 1.7), {level})")
            }
            4 if shape != "Cube" => format!("textureLodOffset({name}, {at}, {level}, {offset})"),
            5 if !integer => {
                let gradient = if plane == 2 {
                    "vec2(0.11, 0.02), vec2(0.03, 0.14)"
                } else {
                    "vec3(0.11, 0.02, 0.0), vec3(0.03, 0.14, 0.01)"
                };
                format!("textureGrad({name}, {at}, {gradient})")
            }
            _ => format!("textureLod({name}, {at}, {level})"),
        }
    }

    /// Coordinates that don't jump, for functions that choose a level by their derivatives. GL leaves open which of a
    /// quad's rows and columns those are taken from, so a jump within a quad would give another level here and there.
    fn smooth(&mut self, size: usize, shape: &str) -> String {
        let before = std::mem::replace(&mut self.constant, true);
        let base = self.expression(&float(size), 2);
        self.constant = before;
        let (a, b) = (self.swizzle(size, 4), self.swizzle(size, 4));
        // Levels of a few texels are passed in large strides only, but a cube's are not compared across its edges.
        let stride = if shape == "Cube" { "1.0" } else { self.pick(&["1.0", "2.9", "11.0", "-23.0"]) };
        format!("(v_a.{a} * {stride} - v_b.{b} * 0.7 + t({base}))")
    }

    fn fetch(&mut self, name: &str, shape: &str, plane: usize, depth: usize) -> String {
        // Largest coordinate of level 0, of level 1, and the largest to which an offset of 2 can be added.
        let (size, last, small, low) = match shape {
            "2D" => (2, "3", "1", "1"),
            "3D" => (3, "3", "1", "1"),
            _ => (3, "ivec3(3, 3, 1)", "1", "ivec3(1, 1, 1)"),
        };
        let texel = self.expression(&vector(Scalar::Int, size), depth - 1);
        match self.choices.below(3) {
            0 => format!("texelFetch({name}, {texel} & {small}, 1)"),
            1 => {
                let offset: Vec<String> = (0..plane).map(|_| self.choices.below(3).to_string()).collect();
                format!("texelFetchOffset({name}, {texel} & {low}, 0, ivec{plane}({}))", offset.join(", "))
            }
            _ => format!("texelFetch({name}, {texel} & {last}, 0)"),
        }
    }

    fn int(&mut self, size: usize, depth: usize) -> String {
        let ty = vector(Scalar::Int, size);
        let same = |this: &mut Self| this.expression(&ty, depth - 1);
        let count = if self.constant { 8 } else { 14 };
        match self.choices.below(count) {
            0 => format!("({} / (({} & 3) + 1))", same(self), same(self)),
            1 => format!("(({} & 0xffff) % (({} & 7) + 1))", same(self), same(self)),
            2 => {
                let by = if self.one_in(2) { ty.clone() } else { INT };
                let operator = self.pick(&["<<", ">>"]);
                format!("({} {operator} ({} & 31))", same(self), self.expression(&by, depth - 1))
            }
            3 => format!("{}({}, {})", self.pick(&["min", "max"]), same(self), same(self)),
            4 => format!("{}({})", self.pick(&["~", "-", "abs", "sign", "+"]), same(self)),
            5 => format!("clamp({}, -3, 77)", same(self)),
            6 | 7 => {
                let operator = self.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", same(self), same(self))
            }
            8 => format!("{ty}({} * 3.0 + 0.0173)", self.expression(&float(size), depth - 1)),
            9 => format!("{ty}({})", self.expression(&vector(Scalar::Uint, size), depth - 1)),
            10 => format!("{ty}({})", self.expression(&vector(Scalar::Bool, size), depth - 1)),
            11 => format!("floatBitsToInt({}({} & 255))", float(size), same(self)),
            12 if size > 1 => {
                let operator = self.pick(&["+", "-", "*", "&", "|", "^"]);
                match self.choices.below(2) {
                    0 => format!("({} {operator} {})", same(self), self.expression(&INT, depth - 1)),
                    _ => format!("({} {operator} {})", self.expression(&INT, depth - 1), same(self)),
                }
            }
            12 => {
                let array = Type::Array(std::sync::Arc::new(self.numeric()), 1 + self.choices.below(4) as u32);
                format!("{}.length()", self.expression(&array, 1))
            }
            _ => self.size_of_texture(size),
        }
    }

    fn size_of_texture(&mut self, size: usize) -> String {
        let ty = vector(Scalar::Int, size);
        if self.textures.is_empty() {
            return self.leaf(&ty);
        }
        let (name, kind) = self.pick(&self.textures.clone());
        let of = if kind.contains("3D") || kind.contains("Array") { 3 } else { 2 };
        let level = if kind.ends_with("Shadow") { 0 } else { self.choices.below(2) };
        format!("textureSize({name}, {level}).{}", self.swizzle(size, of))
    }

    fn uint(&mut self, size: usize, depth: usize) -> String {
        let ty = vector(Scalar::Uint, size);
        let same = |this: &mut Self| this.expression(&ty, depth - 1);
        let count = if self.constant { 7 } else { 12 };
        match self.choices.below(count) {
            0 => format!("({} % (({} & 7u) + 1u))", same(self), same(self)),
            1 => format!("({} / (({} & 7u) + 1u))", same(self), same(self)),
            2 => {
                let by = vector(
                    if self.one_in(2) { Scalar::Int } else { Scalar::Uint },
                    if self.one_in(2) { size } else { 1 },
                );
                let mask = if by.scalar() == Some(Scalar::Int) { "31" } else { "31u" };
                let operator = self.pick(&["<<", ">>"]);
                format!("({} {operator} ({} & {mask}))", same(self), self.expression(&by, depth - 1))
            }
            3 => format!("{}({}, {})", self.pick(&["min", "max"]), same(self), same(self)),
            4 => format!("{}({})", self.pick(&["~", "-", "+"]), same(self)),
            5 | 6 => {
                let operator = self.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", same(self), same(self))
            }
            7 => format!("{ty}({})", self.expression(&vector(Scalar::Int, size), depth - 1)),
            8 => format!("{ty}(abs({}) * 3.0 + 0.0173)", self.expression(&float(size), depth - 1)),
            9 => format!("{ty}({})", self.expression(&vector(Scalar::Bool, size), depth - 1)),
            10 if size == 1 => {
                let pack = self.pick(&["packUnorm2x16", "packSnorm2x16", "packHalf2x16"]);
                format!("{pack}(vec2({} & 7) * 0.1)", self.expression(&vector(Scalar::Int, 2), depth - 1))
            }
            _ => format!("floatBitsToUint({}({} & 255u))", float(size), same(self)),
        }
    }

    fn bool(&mut self, size: usize, depth: usize) -> String {
        let ty = vector(Scalar::Bool, size);
        if size > 1 {
            let of = self.pick(&[Scalar::Int, Scalar::Uint, Scalar::Float]);
            let operand = vector(of, size);
            let (a, b) = (self.expression(&operand, depth - 1), self.expression(&operand, depth - 1));
            let names = ["lessThan", "lessThanEqual", "greaterThan", "greaterThanEqual", "equal", "notEqual"];
            return match self.choices.below(4) {
                0 => format!("not({})", self.expression(&ty, depth - 1)),
                1 => {
                    let (a, b) = (self.expression(&ty, depth - 1), self.expression(&ty, depth - 1));
                    format!("{}({a}, {b})", self.pick(&["equal", "notEqual"]))
                }
                _ if of == Scalar::Float => format!("{}({a}, {b} + 0.0137)", self.pick(&names[..4])),
                _ => format!("{}({a}, {b})", self.pick(&names)),
            };
        }
        let together = self.together;
        match self.choices.below(10) {
            0 => format!("!{}", self.expression(&BOOL, depth - 1)),
            1 => {
                let of = vector(Scalar::Bool, 2 + self.choices.below(3));
                format!("{}({})", self.pick(&["any", "all"]), self.expression(&of, depth - 1))
            }
            2 => {
                let operator = self.pick(&["<", ">", "<=", ">="]);
                format!(
                    "({} {operator} {} + 0.0137)",
                    self.expression(&FLOAT, depth - 1),
                    self.expression(&FLOAT, depth - 1)
                )
            }
            3 => {
                let of = self.pick(&[Type::INT, Type::UINT]);
                let operator = self.pick(&["<", ">", "<=", ">=", "==", "!="]);
                format!("({} {operator} {})", self.expression(&of, depth - 1), self.expression(&of, depth - 1))
            }
            4 => {
                let of = vector(self.pick(&[Scalar::Int, Scalar::Uint, Scalar::Bool]), 2 + self.choices.below(3));
                let operator = self.pick(&["==", "!="]);
                format!("({} {operator} {})", self.expression(&of, depth - 1), self.expression(&of, depth - 1))
            }
            5 if !self.constant => self.equal_wholes(),
            6 if !self.constant => {
                let of = float(1 + self.choices.below(4));
                let inner = self.expression(&of, depth - 1);
                match of {
                    Type::FLOAT => format!("{}({inner})", self.pick(&["isnan", "isinf"])),
                    _ => format!("any({}({inner}))", self.pick(&["isnan", "isinf"])),
                }
            }
            _ => {
                let left = self.expression(&BOOL, depth - 1);
                let operator = self.pick(&["&&", "||", "^^"]);
                self.together = together && operator == "^^";
                let right = self.expression(&BOOL, depth - 1);
                self.together = together;
                format!("({left} {operator} {right})")
            }
        }
    }

    /// Two whole variables of one type that is no number.
    fn equal_wholes(&mut self) -> String {
        let wholes: Vec<_> =
            self.visible().into_iter().filter(|var| !matches!(var.ty, Type::Numeric(..) | Type::Sampler(_))).collect();
        if wholes.is_empty() {
            return "true".to_owned();
        }
        let one = self.pick(&wholes);
        let same: Vec<_> = wholes.into_iter().filter(|var| var.ty == one.ty).collect();
        let other = self.pick(&same);
        format!("({} {} {})", one.name, self.pick(&["==", "!="]), other.name)
    }

    fn matrix(&mut self, columns: usize, rows: usize, depth: usize) -> String {
        let ty = matrix(columns, rows);
        let same = |this: &mut Self| this.expression(&ty, depth - 1);
        if self.constant {
            return self.construct(&ty, depth);
        }
        match self.choices.below(11) {
            0 => format!("transpose({})", self.expression(&matrix(rows, columns), depth - 1)),
            1 => format!(
                "outerProduct({}, {})",
                self.expression(&float(rows), depth - 1),
                self.expression(&float(columns), depth - 1)
            ),
            2 => format!("matrixCompMult({}, {})", same(self), same(self)),
            3 => {
                let inner = 2 + self.choices.below(3);
                let (a, b) = (
                    self.expression(&matrix(inner, rows), depth - 1),
                    self.expression(&matrix(columns, inner), depth - 1),
                );
                format!("({a} * {b} * 0.3)")
            }
            4 => {
                let scalar = self.expression(&FLOAT, depth - 1);
                let operator = self.pick(&["*", "+", "-"]);
                match self.choices.below(2) {
                    0 => format!("({scalar} {operator} {})", same(self)),
                    _ => format!("({} {operator} {scalar})", same(self)),
                }
            }
            5 if columns == rows => format!("inverse({ty}(3.0) + t({}) * 0.1)", same(self)),
            6 => format!("({} / (abs({}) + 0.8))", same(self), self.expression(&FLOAT, depth - 1)),
            7 => format!("(-({}))", same(self)),
            8 => self.construct(&ty, depth),
            _ => {
                let operator = self.pick(&["+", "-"]);
                format!("({} {operator} {})", same(self), same(self))
            }
        }
    }
}
