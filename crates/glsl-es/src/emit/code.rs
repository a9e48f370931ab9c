//! What is written, as a tree: WGSL's expressions and statements. Text is made of it at the very end, and nobody looks at
//! text that was made: what an expression is, how deep it nests and what naga knows of it is known of the tree.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

/// A WGSL expression without effects. It shares its parts with others.
#[derive(Clone, Debug)]
pub(super) struct Value {
    form: Rc<Form>,
    depth: u16,
    size_bytes: u32,
    fixed: bool,
    known: Known,
    is_missing: bool,
}

/// What an expression is.
#[derive(Debug)]
enum Form {
    /// A name, or a literal that is not negative.
    Word(Cow<'static, str>),
    /// `f(a, b)`: a function, or a type's constructor.
    Call(Cow<'static, str>, Vec<Value>),
    /// `a.xy`
    Member(Value, Cow<'static, str>),
    /// `a[b]`
    Element(Value, Value),
    /// `-a`
    Prefix(&'static str, Value),
    /// `a + b`
    Infix(Value, &'static str, Value),
}

/// What naga knows of a value when it reads the text. What it knows it computes with, and refuses the module where that
/// overflows or divides by zero, which GLSL leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing: it comes from memory, a call or a texture.
    AtRunTime,
    /// The value.
    Constant,
    /// The value, and that no component of it is zero.
    NonZero,
}

/// What is known of an expression by its parts.
struct Traits {
    depth: u16,
    size_bytes: u32,
    fixed: bool,
    known: Known,
    is_missing: bool,
}

impl Traits {
    /// Those of an expression of parts, with so many bytes of its own: it changes if one of them does, is known if all are,
    /// and is missing if any is.
    fn of<'a>(own_bytes: usize, parts: impl IntoIterator<Item = &'a Value>) -> Self {
        // What is too large to be counted is too large to be written.
        let own_bytes = u32::try_from(own_bytes).unwrap_or(u32::MAX);
        let mut whole =
            Self { depth: 1, size_bytes: own_bytes, fixed: true, known: Known::AtRunTime, is_missing: false };
        let (mut count, mut known) = (0, 0);
        for part in parts {
            whole.depth = whole.depth.max(part.depth.saturating_add(1));
            whole.size_bytes = whole.size_bytes.saturating_add(part.size_bytes).saturating_add(SEPARATOR_BYTES);
            whole.fixed &= part.fixed;
            whole.is_missing |= part.is_missing;
            count += 1;
            known += usize::from(part.is_constant());
        }
        if count > 0 && known == count {
            whole.known = Known::Constant;
        }
        whole
    }
}

/// `, `
const SEPARATOR_BYTES: u32 = 2;

impl Value {
    fn new(form: Form, Traits { depth, size_bytes, fixed, known, is_missing }: Traits) -> Self {
        Self { form: Rc::new(form), depth, size_bytes, fixed, known, is_missing }
    }

    fn word(text: Cow<'static, str>, fixed: bool, known: Known) -> Self {
        let traits = Traits::of(text.len(), []);
        Self::new(Form::Word(text), Traits { depth: 0, fixed, known, ..traits })
    }

    /// A name of something that stays what it is: a `let`, a block, a texture.
    pub(super) fn fixed(name: impl Into<Cow<'static, str>>) -> Self {
        Self::word(name.into(), true, Known::AtRunTime)
    }

    /// A variable's name.
    pub(super) fn read(name: impl Into<Cow<'static, str>>) -> Self {
        Self::word(name.into(), false, Known::AtRunTime)
    }

    /// A literal that is not negative, of which naga need not know whether it is zero: nothing is divided by it.
    pub(super) fn literal(text: impl Into<Cow<'static, str>>) -> Self {
        Self::word(text.into(), true, Known::NonZero)
    }

    /// What a void function gives, and what the checker lets nobody ask for: nothing that may be written.
    pub(super) fn nothing() -> Self {
        Self { is_missing: true, ..Self::fixed("") }
    }

    /// A function of what stands in its arguments alone, or a type's constructor.
    pub(super) fn call(function: impl Into<Cow<'static, str>>, arguments: Vec<Value>) -> Self {
        let function = function.into();
        let traits = Traits::of(function.len() + 2, &arguments);
        Self::new(Form::Call(function, arguments), traits)
    }

    /// `self.name`. A part of what is known is known as well.
    pub(super) fn member(&self, name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        let traits = Traits::of(name.len() + 1, [self]);
        let Self { depth, known, .. } = *self;
        Self::new(Form::Member(self.clone(), name), Traits { depth, known, ..traits })
    }

    /// `self[index]`
    pub(super) fn element(&self, index: &Value) -> Self {
        Self::new(Form::Element(self.clone(), index.clone()), Traits::of(2, [self, index]))
    }

    /// One of a few columns.
    pub(super) fn column(&self, column: u8) -> Self {
        self.element(&Self::literal(column.to_string()))
    }

    /// `-self`
    pub(super) fn prefixed(&self, operator: &'static str) -> Self {
        Self::new(Form::Prefix(operator, self.clone()), Traits::of(operator.len(), [self]))
    }

    /// `self + other`
    pub(super) fn infix(&self, operator: &'static str, other: &Value) -> Self {
        Self::new(Form::Infix(self.clone(), operator, other.clone()), Traits::of(operator.len() + 2, [self, other]))
    }

    /// The same expression, which is not what it was once something has happened: a call of the text's own function, a
    /// texture.
    pub(super) fn changing(self) -> Self {
        Self { fixed: false, known: Known::AtRunTime, ..self }
    }

    /// The same expression, which is a literal of any type: it may stand wherever a word may.
    pub(super) fn constant(self, known: Known) -> Self {
        Self { depth: 0, fixed: true, known, ..self }
    }

    /// The same expression, of which naga knows nothing: it does not look into the text's own functions.
    pub(super) fn never_known(self) -> Self {
        Self { known: Known::AtRunTime, ..self }
    }

    /// The same under a name of its own, of which naga knows as much.
    pub(super) fn named(&self, name: String) -> Self {
        Self { known: self.known, ..Self::fixed(name) }
    }

    /// Whether it stays what it is whatever happens: a literal or a `let`, or made of them.
    pub(super) fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// Whether it is fixed, and so short that it may stand anywhere.
    pub(super) fn is_kept(&self) -> bool {
        self.fixed && self.depth == 0
    }

    /// Whether naga knows it.
    pub(super) fn is_constant(&self) -> bool {
        self.known != Known::AtRunTime
    }

    /// What naga knows of it.
    pub(super) fn known(&self) -> Known {
        self.known
    }

    /// Levels of expressions in it.
    pub(super) fn depth(&self) -> u16 {
        self.depth
    }

    /// Bytes of its text, about.
    pub(super) fn size_bytes(&self) -> usize {
        self.size_bytes as usize
    }

    /// Whether it, or a part of it, is [`Self::nothing`].
    pub(super) fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// Whether it is this word.
    pub(super) fn is_word(&self, text: &str) -> bool {
        matches!(&*self.form, Form::Word(word) if word == text)
    }

    /// Whether it is the literal 0.0, or -0.0.
    pub(super) fn is_float_zero(&self) -> bool {
        match &*self.form {
            Form::Prefix("-", operand) => operand.is_float_zero(),
            _ => self.is_word("0.0f"),
        }
    }

    /// Writes it where an operator stands beside it.
    fn write_operand(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.form {
            Form::Prefix(..) | Form::Infix(..) => write!(f, "({self})"),
            _ => write!(f, "{self}"),
        }
    }

    /// Writes it in a list, where `a < b, c > d` could be taken for a template's arguments.
    fn write_argument(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.form {
            Form::Infix(_, operator, _) if operator.starts_with(['<', '>']) => write!(f, "({self})"),
            _ => write!(f, "{self}"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.form {
            Form::Word(text) => f.write_str(text),
            Form::Call(function, arguments) => {
                write!(f, "{function}(")?;
                for (at, argument) in arguments.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { ", " })?;
                    argument.write_argument(f)?;
                }
                f.write_str(")")
            }
            Form::Member(base, name) => {
                base.write_operand(f)?;
                write!(f, ".{name}")
            }
            Form::Element(base, index) => {
                base.write_operand(f)?;
                write!(f, "[{index}]")
            }
            Form::Prefix(operator, operand) => {
                f.write_str(operator)?;
                operand.write_operand(f)
            }
            Form::Infix(left, operator, right) => {
                left.write_operand(f)?;
                write!(f, " {operator} ")?;
                right.write_operand(f)
            }
        }
    }
}

/// Statements in a row.
pub(super) type Block = Vec<Statement>;

/// A WGSL statement.
#[derive(Debug)]
pub(super) enum Statement {
    /// `let name = value;`
    Let(String, Value),
    /// `var name: ty = value;`
    Var {
        name: String,
        /// That of the value, if none is given.
        ty: Option<String>,
        /// Zero, if none is given.
        value: Option<Value>,
    },
    /// `place = value;`
    Assign(Value, Value),
    /// `call;`
    Call(Value),
    /// `if (condition) { … } else { … }`
    If(Value, Block, Block),
    /// `switch (selector) { case labels: { … } … }`; a label that is none is `default`.
    Switch(Value, Vec<(Vec<Option<Value>>, Block)>),
    Loop {
        body: Block,
        /// What happens at the end of each round, also behind a `continue`.
        continuing: Block,
        /// What then ends the loop.
        break_if: Option<Value>,
    },
    Return(Option<Value>),
    Break,
    Continue,
    Discard,
}

impl Statement {
    /// Bytes of its text, about, without the blocks in it.
    pub(super) fn size_bytes(&self) -> usize {
        let names = match self {
            Self::Let(name, _) => name.len(),
            Self::Var { name, ty, .. } => name.len() + ty.as_ref().map_or(0, String::len),
            _ => 0,
        };
        names + self.values().map(Value::size_bytes).sum::<usize>() + 16
    }

    /// Whether a value is missing in it; blocks in it are looked at by themselves.
    pub(super) fn is_missing_a_value(&self) -> bool {
        self.values().any(Value::is_missing)
    }

    /// The values in it, without those of its blocks.
    fn values(&self) -> impl Iterator<Item = &Value> {
        let (values, labels): ([Option<&Value>; 2], &[_]) = match self {
            Self::Var { value, .. } | Self::Loop { break_if: value, .. } | Self::Return(value) => {
                ([value.as_ref(), None], &[])
            }
            Self::Let(_, value) | Self::Call(value) | Self::If(value, ..) => ([Some(value), None], &[]),
            Self::Assign(place, value) => ([Some(place), Some(value)], &[]),
            Self::Switch(selector, cases) => ([Some(selector), None], cases),
            Self::Break | Self::Continue | Self::Discard => ([None; 2], &[]),
        };
        values.into_iter().flatten().chain(labels.iter().flat_map(|(labels, _)| labels).flatten())
    }

    fn write(&self, out: &mut String, indent: usize) {
        match self {
            Self::Let(name, value) => line(out, indent, &format!("let {name} = {value};")),
            Self::Var { name, ty, value } => {
                let ty = ty.as_ref().map_or(String::new(), |ty| format!(": {ty}"));
                let value = value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
                line(out, indent, &format!("var {name}{ty}{value};"));
            }
            Self::Assign(place, value) => line(out, indent, &format!("{place} = {value};")),
            Self::Call(call) => line(out, indent, &format!("{call};")),
            Self::If(condition, yes, no) => {
                line(out, indent, &format!("if ({condition}) {{"));
                write_block(yes, out, indent + 1);
                let mut no = no.as_slice();
                while let [Self::If(condition, yes, next)] = no {
                    line(out, indent, &format!("}} else if ({condition}) {{"));
                    write_block(yes, out, indent + 1);
                    no = next;
                }
                if !no.is_empty() {
                    line(out, indent, "} else {");
                    write_block(no, out, indent + 1);
                }
                line(out, indent, "}");
            }
            Self::Switch(selector, cases) => {
                line(out, indent, &format!("switch ({selector}) {{"));
                for (labels, body) in cases {
                    let label = |label: &Option<Value>| label.as_ref().map_or("default".to_owned(), Value::to_string);
                    let head = match labels.as_slice() {
                        [None] => "default".to_owned(),
                        labels => format!("case {}", labels.iter().map(label).collect::<Vec<_>>().join(", ")),
                    };
                    line(out, indent + 1, &format!("{head}: {{"));
                    write_block(body, out, indent + 2);
                    line(out, indent + 1, "}");
                }
                line(out, indent, "}");
            }
            Self::Loop { body, continuing, break_if } => {
                line(out, indent, "loop {");
                write_block(body, out, indent + 1);
                if !continuing.is_empty() || break_if.is_some() {
                    line(out, indent + 1, "continuing {");
                    write_block(continuing, out, indent + 2);
                    if let Some(condition) = break_if {
                        line(out, indent + 2, &format!("break if {condition};"));
                    }
                    line(out, indent + 1, "}");
                }
                line(out, indent, "}");
            }
            Self::Return(None) => line(out, indent, "return;"),
            Self::Return(Some(value)) => line(out, indent, &format!("return {value};")),
            Self::Break => line(out, indent, "break;"),
            Self::Continue => line(out, indent, "continue;"),
            Self::Discard => line(out, indent, "discard;"),
        }
    }
}

/// Most levels that a line is moved in.
const MOST_INDENT: usize = 16;

fn line(out: &mut String, indent: usize, text: &str) {
    (0..indent.min(MOST_INDENT)).for_each(|_| out.push_str("  "));
    out.push_str(text);
    out.push('\n');
}

/// Writes statements, so many levels in.
pub(super) fn write_block(block: &[Statement], out: &mut String, indent: usize) {
    block.iter().for_each(|statement| statement.write(out, indent));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(block: Block) -> String {
        let mut text = String::new();
        write_block(&block, &mut text, 0);
        text
    }

    #[test]
    fn parentheses_stand_where_an_operator_meets_another() {
        let (a, b) = (Value::read("a"), Value::read("b"));
        let sum = a.infix("+", &b);
        for (value, expected) in [
            (sum.infix("*", &b.prefixed("-")), "(a + b) * (-b)"),
            (sum.member("xy").element(&sum), "(a + b).xy[a + b]"),
            (a.prefixed("*").member("x"), "(*a).x"),
            (a.prefixed("-").prefixed("-"), "-(-a)"),
            (sum.prefixed("!"), "!(a + b)"),
            (
                Value::call("f", vec![sum.clone(), a.prefixed("&"), a.infix("<", &b), b.infix(">>", &a)]),
                "f(a + b, &a, (a < b), (b >> a))",
            ),
            (a.column(3).infix("&&", &Value::call("g", Vec::new())), "a[3] && g()"),
        ] {
            assert_eq!(value.to_string(), expected);
        }
    }

    #[test]
    fn what_is_known_of_an_expression_is_known_by_its_parts() {
        let (read, fixed, literal) = (Value::read("a"), Value::fixed("b"), Value::literal("1i"));
        assert!(literal.is_kept() && fixed.is_kept() && !read.is_kept());
        let folded = literal.infix("+", &literal);
        assert_eq!((folded.known(), folded.depth(), folded.is_fixed()), (Known::Constant, 1, true));
        assert!(!folded.is_kept() && folded.clone().constant(Known::NonZero).is_kept());
        let mixed = Value::call("f", vec![folded.clone(), read.clone()]);
        assert_eq!((mixed.known(), mixed.depth(), mixed.is_fixed()), (Known::AtRunTime, 2, false));
        assert_eq!(literal.member("x").known(), Known::NonZero);
        assert_eq!(literal.infix("/", &fixed).known(), Known::AtRunTime);
        assert!(!Value::call("f", Vec::new()).is_constant());
        assert!(!folded.clone().changing().is_fixed() && !folded.clone().never_known().is_constant());
        assert_eq!(folded.named("t1".to_owned()).known(), Known::Constant);
        let missing = literal.infix("+", &Value::call("f", vec![read.clone(), Value::nothing().member("x")]));
        assert!(missing.is_missing() && missing.changing().never_known().is_missing() && !mixed.is_missing());
        let zero = Value::literal("0.0f");
        assert!(zero.is_float_zero() && zero.prefixed("-").is_float_zero() && !literal.is_float_zero());
    }

    #[test]
    fn an_if_that_is_all_of_an_else_goes_on_with_it() {
        let (a, b) = (|| Value::read("a"), || Value::read("b"));
        let inner = || Statement::If(b(), vec![Statement::Break], vec![Statement::Continue]);
        let chain = Statement::If(a(), vec![Statement::Discard], vec![inner()]);
        let expected = "if (a) {\n  discard;\n} else if (b) {\n  break;\n} else {\n  continue;\n}\n";
        assert_eq!(text(vec![chain]), expected);
        let nested = Statement::If(a(), Block::new(), vec![Statement::Let("c".to_owned(), a()), inner()]);
        let expected = "if (a) {\n} else {\n  let c = a;\n  if (b) {\n    break;\n  } else {\n    continue;\n  }\n}\n";
        assert_eq!(text(vec![nested]), expected);
    }

    #[test]
    fn loops_and_switches_have_all_their_parts() {
        let body = vec![Statement::Call(Value::call("f", Vec::new()))];
        let round = Statement::Loop { body, continuing: Block::new(), break_if: Some(Value::read("a").prefixed("!")) };
        let expected = "loop {\n  f();\n  continuing {\n    break if !a;\n  }\n}\n";
        assert_eq!(text(vec![round]), expected);
        let cases =
            vec![(vec![Some(Value::literal("1i")), None], vec![Statement::Return(None)]), (vec![None], Block::new())];
        let expected = "switch (a) {\n  case 1i, default: {\n    return;\n  }\n  default: {\n  }\n}\n";
        assert_eq!(text(vec![Statement::Switch(Value::read("a"), cases)]), expected);
    }
}
