//! Random valid shaders. Nothing in them is undefined in GLSL: divisors, shifts and indices are kept in range, and one
//! statement never has two effects on one variable. Values stay small and smooth, so that last bits don't grow.

use super::cases::{Case, case};

/// A source of choices.
pub struct Choices(u64);

impl Choices {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound.max(1) as u64) as usize
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }
}

/// Types that expressions have.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Float(usize),
    Int(usize),
    Uint(usize),
    Bool,
    Mat(usize),
}

impl Kind {
    fn name(self) -> String {
        let sized =
            |scalar: &str, vector: &str, n: usize| if n == 1 { scalar.to_owned() } else { format!("{vector}{n}") };
        match self {
            Kind::Float(n) => sized("float", "vec", n),
            Kind::Int(n) => sized("int", "ivec", n),
            Kind::Uint(n) => sized("uint", "uvec", n),
            Kind::Bool => "bool".to_owned(),
            Kind::Mat(n) => format!("mat{n}"),
        }
    }
}

struct Generator {
    choices: Choices,
    variables: Vec<(String, Kind)>,
    next: usize,
    out: String,
    /// Variables of loops, which nothing else may write.
    loops: usize,
}

const SETS: [&str; 3] = ["xyzw", "rgba", "stpq"];

impl Generator {
    fn kind(&mut self) -> Kind {
        let n = 1 + self.choices.below(4);
        match self.choices.below(9) {
            0..=4 => Kind::Float(n),
            5 => Kind::Int(n),
            6 => Kind::Uint(n),
            7 => Kind::Bool,
            _ => Kind::Mat(2 + self.choices.below(3)),
        }
    }

    fn variable(&mut self, kind: Kind) -> Option<String> {
        let fitting: Vec<String> = self.variables.iter().filter(|v| v.1 == kind).map(|v| v.0.clone()).collect();
        (!fitting.is_empty()).then(|| fitting[self.choices.below(fitting.len())].clone())
    }

    fn swizzle(&mut self, size: usize, of: usize) -> String {
        let set = SETS[self.choices.below(3)].as_bytes();
        (0..size).map(|_| set[self.choices.below(of)] as char).collect()
    }

    fn leaf(&mut self, kind: Kind) -> String {
        if self.choices.below(3) > 0
            && let Some(name) = self.variable(kind)
        {
            return name;
        }
        let number = self.choices.below(9);
        match kind {
            Kind::Float(n) => match self.choices.below(4) {
                0 => format!("{}(0.{number}3)", kind.name()),
                1 => format!("u_f[{}].{}", self.choices.below(3), self.swizzle(n, 4)),
                _ => format!("{}.{}", self.choices.pick(&["v_a", "v_b"]), self.swizzle(n, 4)),
            },
            Kind::Int(_) => format!("{}({})", kind.name(), ["i0", "i1", "3", "-2", "u_i"][self.choices.below(5)]),
            Kind::Uint(_) => {
                format!("{}({})", kind.name(), ["uint(i0)", "5u", "0x3fu", "uint(u_i)"][self.choices.below(4)])
            }
            Kind::Bool => ["i0 > 2", "i1 == 3", "true", "v_a.x < 0.47", "u_b"][self.choices.below(5)].to_owned(),
            Kind::Mat(n) => {
                format!("mat{n}({})", (0..n).map(|_| self.leaf(Kind::Float(n))).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(kind);
        }
        let choice = self.choices.below(12);
        let e = |this: &mut Self, kind| this.expression(kind, depth - 1);
        match (kind, choice) {
            (_, 0) => self.leaf(kind),
            (_, 1) => {
                let (c, a, b) = (e(self, Kind::Bool), e(self, kind), e(self, kind));
                format!("({c} ? {a} : {b})")
            }
            (Kind::Float(n), 2) => {
                let m = 1.max(n) + self.choices.below(5 - n);
                let inner = e(self, Kind::Float(m.max(2)));
                format!("{inner}.{}", self.swizzle(n, m.max(2)))
            }
            (Kind::Float(n @ 2..), 3) => {
                let (m, v) = (e(self, Kind::Mat(n)), e(self, kind));
                if self.choices.below(2) == 0 { format!("({m} * {v} * 0.4)") } else { format!("({v} * {m} * 0.4)") }
            }
            (Kind::Float(_), 4) => {
                let a = e(self, kind);
                let function = self.choices.pick(&["sin", "cos", "abs", "exp2", "atan", "fract", "tanh", "-"]);
                // As with `mod`: the step is moved away from 0.
                if function == "fract" {
                    format!("fract({a} * 0.1 + 0.0131)")
                } else {
                    format!("({function}({a} * 0.5))")
                }
            }
            (Kind::Float(n), 5) => {
                let (a, b, c) = (e(self, kind), e(self, kind), e(self, Kind::Float(1)));
                match self.choices.below(6) {
                    0 => format!("mix({a}, {b}, {c})"),
                    1 => format!("clamp({a}, -0.7, 0.9)"),
                    2 => format!("min({a}, {c})"),
                    3 => format!("max({a}, {b})"),
                    // `a` may be 0 along a whole line, by symmetry or as `x - x`, and there its last bit would decide
                    // between 0 and 3.7. No sum of the attributes and constants lies that close to 0.0173.
                    4 => format!("mod({a} + 0.0173, 3.7)"),
                    _ if n > 1 => format!("reflect({a} * 0.5, {b} * 0.5)"),
                    _ => format!("smoothstep(-2.0, 2.0, {a})"),
                }
            }
            (Kind::Float(1), 6) => {
                let k = Kind::Float(2 + self.choices.below(3));
                let (a, b) = (e(self, k), e(self, k));
                self.choices
                    .pick(&["(dot({a}, {b}) * 0.3)", "(length({a} + {b}) * 0.5)", "(distance({a}, {b}) * 0.5)"])
                    .replace("{a}", &a)
                    .replace("{b}", &b)
            }
            (Kind::Float(1), 7) => format!("h({}, {})", e(self, Kind::Float(1)), e(self, Kind::Int(1))),
            (Kind::Float(n), 8) => format!("({}({} & 7) * 0.1)", kind.name(), e(self, Kind::Int(n))),
            (Kind::Float(n @ 2..), 9) => {
                let first = 1 + self.choices.below(n - 1);
                format!("{}({}, {})", kind.name(), e(self, Kind::Float(first)), e(self, Kind::Float(n - first)))
            }
            (Kind::Float(_), _) => {
                let (a, b) = (e(self, kind), e(self, kind));
                match self.choices.below(4) {
                    0 => format!("({a} + {b})"),
                    1 => format!("({a} - {b})"),
                    2 => format!("({a} * {b})"),
                    _ => format!("({a} / (abs({b}) + 0.8))"),
                }
            }
            (Kind::Int(n), 2..=3) => format!("{}({} * 3.0)", kind.name(), self.leaf(Kind::Float(n))),
            (Kind::Int(_), 4) => format!("({} / (({} & 3) + 1))", e(self, kind), e(self, kind)),
            (Kind::Int(_), 5) => format!("(({} & 0xff) << ({} & 3))", e(self, kind), e(self, Kind::Int(1))),
            (Kind::Int(_), 6) => {
                format!("{}({}, {})", self.choices.pick(&["min", "max"]), e(self, kind), e(self, kind))
            }
            (Kind::Int(_), 7) => format!("{}({})", self.choices.pick(&["~", "-", "abs", "sign"]), e(self, kind)),
            (Kind::Int(_), _) => {
                let operator = self.choices.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", e(self, kind), e(self, kind))
            }
            (Kind::Uint(n), 2) => format!("{}({})", kind.name(), e(self, Kind::Int(n))),
            (Kind::Uint(_), 3) => format!("({} % (({} & 7u) + 1u))", e(self, kind), e(self, kind)),
            (Kind::Uint(_), 4) => format!("({} >> ({} & 7u))", e(self, kind), e(self, kind)),
            (Kind::Uint(_), _) => {
                let operator = self.choices.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", e(self, kind), e(self, kind))
            }
            (Kind::Bool, 2) => format!("!({})", e(self, Kind::Bool)),
            (Kind::Bool, 3) => {
                let n = 2 + self.choices.below(3);
                let compare = self.choices.pick(&["lessThan", "greaterThanEqual", "equal", "notEqual"]);
                let all = self.choices.pick(&["any", "all"]);
                format!("{all}({compare}({}, {}))", e(self, Kind::Int(n)), e(self, Kind::Int(n)))
            }
            (Kind::Bool, 4) => format!("({} < {})", e(self, Kind::Float(1)), e(self, Kind::Float(1))),
            (Kind::Bool, 5) => format!("({} == {})", e(self, Kind::Uint(2)), e(self, Kind::Uint(2))),
            (Kind::Bool, _) => {
                format!("({} {} {})", e(self, Kind::Bool), self.choices.pick(&["&&", "||", "^^"]), e(self, Kind::Bool))
            }
            (Kind::Mat(_), 2) => format!("transpose({})", e(self, kind)),
            (Kind::Mat(n), 3) => format!("outerProduct({}, {})", e(self, Kind::Float(n)), e(self, Kind::Float(n))),
            (Kind::Mat(n), 4) => format!("mat{n}({})", e(self, Kind::Mat(2 + choice % 3))),
            (Kind::Mat(_), 5) => format!("matrixCompMult({}, {})", e(self, kind), e(self, kind)),
            (Kind::Mat(_), 6) => format!("({} * {} * 0.3)", e(self, kind), e(self, kind)),
            (Kind::Mat(_), 7) => format!("({} * {})", e(self, Kind::Float(1)), e(self, kind)),
            (Kind::Mat(_), _) => format!("({} {} {})", e(self, kind), self.choices.pick(&["+", "-"]), e(self, kind)),
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A part of a writable variable, and the kind of that part.
    fn target(&mut self) -> Option<(String, Kind)> {
        if self.variables.is_empty() {
            return None;
        }
        let (name, kind) = self.variables[self.choices.below(self.variables.len())].clone();
        let index = self.choices.pick(&["i0", "i1", "n"]);
        Some(match (kind, self.choices.below(4)) {
            (Kind::Float(n @ 2..), 0) => {
                (format!("{name}.{}", &SETS[self.choices.below(3)][..n - 1]), Kind::Float(n - 1))
            }
            (Kind::Float(n @ 2..), 1) => (format!("{name}[({index} & 63) % {n}]"), Kind::Float(1)),
            (Kind::Float(n @ 2..), 2) => (format!("{name}.{}", &"wzyx"[4 - n..][..2]), Kind::Float(2)),
            (Kind::Int(n @ 2..), 0) => (format!("{name}.{}", &"wzyx"[4 - n..]), kind),
            (Kind::Mat(n), 0) => (format!("{name}[({index} & 63) % {n}]"), Kind::Float(n)),
            (Kind::Mat(n), 1) => (format!("{name}[{}].{}", self.choices.below(n), "yx"), Kind::Float(2)),
            (Kind::Mat(n), 2) => (format!("{name}[({index} & 63) % {n}][{}]", self.choices.below(n)), Kind::Float(1)),
            _ => (name, kind),
        })
    }

    fn assignment(&mut self) {
        let Some((target, kind)) = self.target() else { return };
        let value = self.expression(kind, 2);
        let operator = match kind {
            Kind::Float(_) | Kind::Mat(_) => self.choices.pick(&["=", "=", "+=", "-="]),
            Kind::Int(_) | Kind::Uint(_) => self.choices.pick(&["=", "+=", "^=", "|=", "-="]),
            Kind::Bool => "=",
        };
        self.line(&format!("{target} {operator} {value};"));
        // Values stay small.
        if let (Kind::Float(_), "+=" | "-=") = (kind, operator) {
            self.line(&format!("{target} *= 0.6;"));
        }
        if matches!(kind, Kind::Mat(_)) {
            self.line(&format!("{target} = {target} * 0.5;"));
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.choices.below(16) {
            0..=3 => {
                let kind = self.kind();
                let value = self.expression(kind, 3);
                self.next += 1;
                let name = format!("x{}", self.next);
                self.line(&format!("{} {name} = {value};", kind.name()));
                self.variables.push((name, kind));
            }
            4..=6 => self.assignment(),
            7 if depth > 0 => {
                let condition = self.expression(Kind::Bool, 2);
                self.nested(&format!("if ({condition}) {{"), depth);
                if self.choices.below(2) == 0 {
                    self.out.truncate(self.out.trim_end().len());
                    let other = self.expression(Kind::Bool, 1);
                    let head = if self.choices.below(2) == 0 {
                        " else {".to_owned()
                    } else {
                        format!(" else if ({other}) {{")
                    };
                    self.nested(&head, depth);
                }
            }
            8 if depth > 0 && self.loops < 2 => {
                self.next += 1;
                let i = format!("k{}", self.next);
                let bound = self.choices.pick(&["3", "i0 + 1", "(u_i & 3) + 1"]);
                self.loops += 1;
                let head = match self.choices.below(3) {
                    0 => format!("for (int {i} = 0; {i} < {bound}; {i}++) {{\nif ({i} == i1) continue;"),
                    1 => format!("int {i} = 0;\nwhile ({i}++ < {bound}) {{\nif ({i} == 3 && e({i})) break;"),
                    _ => format!("int {i} = 5;\ndo {{\nif ({i} == i1) continue;"),
                };
                let is_do = head.contains("do {");
                self.nested(&head, depth);
                if is_do {
                    self.out.truncate(self.out.trim_end().len());
                    self.line(&format!(" while (--{i} > 2);"));
                }
                self.loops -= 1;
            }
            9 if depth > 0 => {
                let selector = self.choices.pick(&["i0", "i1", "n & 3", "i0 + i1"]);
                self.line(&format!("switch ({selector}) {{"));
                let default_at = self.choices.below(5);
                for label in 0..4 {
                    if label == default_at {
                        self.line("default:");
                    }
                    self.line(&format!("case {label}:"));
                    let before = self.variables.len();
                    self.assignment();
                    if self.choices.below(3) == 0 {
                        self.line("if (u_b) break;");
                    }
                    self.variables.truncate(before);
                    let end = self.choices.pick(&["break;", "n++;", "{ n += 2; }"]);
                    self.line(end);
                }
                self.line("}");
            }
            10 => {
                let (a, b) = (self.expression(Kind::Bool, 1), self.expression(Kind::Bool, 1));
                let operator = (self.choices.pick(&["&&", "||"]), self.choices.pick(&["&&", "||"]));
                self.next += 1;
                let name = format!("x{}", self.next);
                self.line(&format!("bool {name} = {a} {} e(1) {} ({b}) {} e(2);", operator.0, operator.1, operator.0));
                self.variables.push((name, Kind::Bool));
            }
            11 => {
                let condition = self.expression(Kind::Bool, 1);
                self.line(&format!("n += {condition} ? f(i0) : (e(3) ? 4 : 6);"));
            }
            12 => {
                if let Some((target, Kind::Float(1))) = self.target() {
                    let value = self.expression(Kind::Float(1), 1);
                    self.line(&format!("g({value}, {target});"));
                }
            }
            13 => {
                let at = self.choices.pick(&["i0 & 3", "n & 3", "2"]);
                let value = self.expression(Kind::Float(2), 2);
                match self.choices.below(4) {
                    0 => self.line(&format!("a[{at}].yx = {value} * 0.5;")),
                    1 => self.line(&format!("a[{at}] = {value} + a[(n + 1) & 3] * 0.5;")),
                    2 => self.line("s.v.yz = a[1]; s.k[i1 & 1] += s.v.x * 0.5; { S t = s; t.k[0] = 0.25; s = t; }"),
                    _ => self.line(&format!("g(a[{at}].x * 0.5, a[{at}].y);")),
                }
            }
            14 => {
                let effects = [
                    "n++;",
                    "--n;",
                    "n = (n + 3) & 15;",
                    "a[n++ & 3] *= 0.5;",
                    "s.k[++n & 1] -= 0.1;",
                    "n += i0++, i0 -= 1;",
                ];
                let effect = self.choices.pick(&effects);
                self.line(effect);
            }
            _ => {
                if let Some(name) = self.variable(Kind::Float(4)) {
                    let value = self.expression(Kind::Float(3), 2);
                    self.line(&format!("{name}.wxz = ({name}.yzw = {value}) * 0.5;"));
                }
            }
        }
    }

    fn nested(&mut self, head: &str, depth: usize) {
        self.line(head);
        let before = self.variables.len();
        for _ in 0..1 + self.choices.below(3) {
            self.statement(depth - 1);
        }
        self.variables.truncate(before);
        self.line("}");
    }
}

/// The random shader with this number.
pub fn random(seed: u64) -> Case {
    let mut generator =
        Generator { choices: Choices::new(seed), variables: Vec::new(), next: 0, out: String::new(), loops: 0 };
    for _ in 0..6 + generator.choices.below(14) {
        generator.statement(3);
    }
    let mut shown =
        vec!["enc(n)".to_owned(), "enc(vec4(a[0], a[3]))".to_owned(), "enc(vec4(s.v, s.k[0] + s.k[1]))".to_owned()];
    let from = generator.variables.len().saturating_sub(6);
    shown.extend(generator.variables[from..].iter().map(|(name, _)| format!("enc({name})")));
    let weight = 1.0 / shown.len() as f32;
    let declarations = "struct S { vec3 v; float k[2]; };
uniform vec4 u_f[3]; uniform int u_i; uniform bool u_b;
int n = 0;
bool e(int k) { n += k; return (n & 1) == 0; }
int f(int k) { n = n * 2 & 31; return k + 1; }
float h(float x, int k) { for (int i = 0; i < (k & 3); i++) { if (x > 0.6) return x * 0.5; x = x * 0.7 + 0.1; } return x; }
void g(float x, inout float y) { if (x > 0.3) { y = y * 0.5 + x; return; } y -= 0.1; }";
    let body = format!(
        "int i0 = int(v_a.x * 4.3), i1 = int(v_b.y * 3.7);\nvec2 a[4] = vec2[4](v_a.xy, v_b.zw, vec2(0.1, 0.2), v_a.zz);\nS s = S(v_b.xyz, float[2](v_a.w, 0.5));\n{}o = ({}) * {weight:?};",
        generator.out,
        shown.join(" + ")
    );
    case(format!("random {seed}"), declarations, &body)
}
