//! What the parser makes of the tokens: names are not resolved, types not checked.

use super::types::Type;

/// An expression with its position and height.
#[derive(Clone, Debug)]
pub(crate) struct Expr<'a> {
    /// What it is.
    pub kind: ExprKind<'a>,
    /// Where it begins, or its operator stands.
    pub position: u32,
    /// Where it begins.
    pub start: u32,
    /// Height of its tree, which bounds every later recursion over it.
    pub height: usize,
}

/// Kinds of expression.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind<'a> {
    /// Variable, or a function's name before `(`.
    Name(&'a str),
    /// `7` and `0xffffffff`.
    Int(i32),
    /// `7u`.
    Uint(u32),
    /// `7.0`.
    Float(f32),
    /// `true`.
    Bool(bool),
    /// `-a`.
    Unary(UnaryOp, Box<Expr<'a>>),
    /// `++a`, `a--`.
    Step(Step, Box<Expr<'a>>),
    /// Operators of one rank, from left to right: `a + b - c`.
    Chain(Box<Expr<'a>>, Vec<(BinaryOp, u32, Expr<'a>)>),
    /// `a ? b : c`.
    Ternary(Box<[Expr<'a>; 3]>),
    /// `a = b`, `a += b`.
    Assign(Option<BinaryOp>, Box<[Expr<'a>; 2]>),
    /// `a, b, c`.
    Comma(Vec<Expr<'a>>),
    /// `a[b]`.
    Index(Box<[Expr<'a>; 2]>),
    /// `a.b`.
    Field(Box<Expr<'a>>, &'a str),
    /// `a.length()`.
    Length(Box<Expr<'a>>),
    /// `f(a)`: a function or the constructor of a struct.
    Call(&'a str, Vec<Expr<'a>>),
    /// `vec3(a)`, `float[2](a, b)`, `S[](a)`.
    Construct(Box<TypeSpec<'a>>, Vec<Expr<'a>>),
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// `++` and `--`, before or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// `++` rather than `--`.
    pub up: bool,
    /// Before its operand: the value is the new one.
    pub prefix: bool,
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named for its operator")]
pub(crate) enum BinaryOp {
    Or,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOp {
    /// The operator as GLSL writes it.
    pub(crate) fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Or => "||",
            Xor => "^^",
            And => "&&",
            BitOr => "|",
            BitXor => "^",
            BitAnd => "&",
            Equal => "==",
            NotEqual => "!=",
            Less => "<",
            Greater => ">",
            LessEqual => "<=",
            GreaterEqual => ">=",
            ShiftLeft => "<<",
            ShiftRight => ">>",
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
        }
    }
}

/// A type as written, before names are looked up and sizes computed.
#[derive(Clone, Debug)]
pub(crate) struct TypeSpec<'a> {
    /// The type without its array brackets.
    pub base: BaseType<'a>,
    /// Brackets after the type.
    pub array: Vec<ArraySize<'a>>,
    /// Where it begins.
    pub position: u32,
}

/// A type without brackets.
#[derive(Clone, Debug)]
pub(crate) enum BaseType<'a> {
    /// A type that has a keyword.
    Known(Type),
    /// A struct by name.
    Named(&'a str),
    /// A struct declared on the spot.
    Struct(Option<&'a str>, Vec<Declaration<'a>>),
}

/// What stands in array brackets; `None` for `[]`.
pub(crate) type ArraySize<'a> = Option<Box<Expr<'a>>>;

/// Qualifiers before a declaration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Qualifiers<'a> {
    /// `const`, `in`, `out`, `inout`, `uniform`.
    pub storage: Option<Storage>,
    /// `const` besides `in`: for parameters.
    pub constant: bool,
    /// `flat`.
    pub flat: bool,
    /// `smooth`.
    pub smooth: bool,
    /// `centroid`.
    pub centroid: bool,
    /// `invariant`.
    pub invariant: bool,
    /// The precision, given or by default.
    pub precision: Option<Precision>,
    /// `layout(name = value)`.
    pub layout: Vec<(&'a str, Option<u32>, u32)>,
    /// Where they begin.
    pub position: u32,
}

impl Qualifiers<'_> {
    /// Whether one says how values come from vertices.
    pub(crate) fn has_interpolation(&self) -> bool {
        self.flat || self.smooth || self.centroid || self.invariant
    }
}

/// Precisions, which say how exact numbers have to be at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// `lowp`
    Low,
    /// `mediump`
    Medium,
    /// `highp`
    High,
}

impl Precision {
    /// The precision that a keyword stands for.
    pub(crate) fn from_keyword(word: &str) -> Option<Self> {
        match word {
            "lowp" => Some(Self::Low),
            "mediump" => Some(Self::Medium),
            "highp" => Some(Self::High),
            _ => None,
        }
    }

    /// Its keyword.
    pub(crate) fn keyword(self) -> &'static str {
        match self {
            Self::Low => "lowp",
            Self::Medium => "mediump",
            Self::High => "highp",
        }
    }
}

/// Storage qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named for its keyword")]
pub(crate) enum Storage {
    Const,
    In,
    Out,
    InOut,
    Uniform,
}

/// `const float a = 1.0, b[2] = …;`
#[derive(Clone, Debug)]
pub(crate) struct Declaration<'a> {
    /// Qualifiers.
    pub qualifiers: Qualifiers<'a>,
    /// Type.
    pub ty: TypeSpec<'a>,
    /// Names; none in `struct S { … };`.
    pub declarators: Vec<Declarator<'a>>,
}

/// One name of a declaration.
#[derive(Clone, Debug)]
pub(crate) struct Declarator<'a> {
    /// The name.
    pub name: &'a str,
    /// Where it stands.
    pub position: u32,
    /// Brackets after the name.
    pub array: Vec<ArraySize<'a>>,
    /// Initial value.
    pub init: Option<Expr<'a>>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt<'a> {
    /// `{ … }`
    Block(Vec<Stmt<'a>>),
    /// Variables or a struct.
    Declare(Declaration<'a>),
    /// `a = b;`
    Expr(Expr<'a>),
    /// `;`
    Empty,
    /// `if … else if … else …`
    If(Vec<(Expr<'a>, Stmt<'a>)>, Option<Box<Stmt<'a>>>),
    /// `switch`: labels and statements in one list, as written.
    Switch(Expr<'a>, Vec<SwitchItem<'a>>),
    /// `for`
    For(Box<For<'a>>),
    /// `while`
    While(Box<(Condition<'a>, Stmt<'a>)>),
    /// `do … while`
    DoWhile(Box<(Stmt<'a>, Expr<'a>)>),
    /// `return`
    Return(Option<Expr<'a>>, u32),
    /// `break`
    Break(u32),
    /// `continue`
    Continue(u32),
    /// `discard`
    Discard(u32),
}

/// One line of a `switch`.
#[derive(Clone, Debug)]
pub(crate) enum SwitchItem<'a> {
    /// `case a:`
    Case(Expr<'a>),
    /// `default:`
    Default(u32),
    /// Anything else.
    Stmt(Stmt<'a>),
}

/// A `for` loop.
#[derive(Clone, Debug)]
pub(crate) struct For<'a> {
    /// What runs first.
    pub init: Stmt<'a>,
    /// Runs before each round; none is `true`.
    pub condition: Option<Condition<'a>>,
    /// Runs after each round.
    pub step: Option<Expr<'a>>,
    /// The rounds.
    pub body: Stmt<'a>,
}

/// What a loop asks before a round.
#[derive(Clone, Debug)]
pub(crate) enum Condition<'a> {
    /// `a < b`
    Expr(Expr<'a>),
    /// `bool more = f()`
    Declare(Declaration<'a>),
}

/// A function's name, type and parameters.
#[derive(Clone, Debug)]
pub(crate) struct Prototype<'a> {
    /// What it returns.
    pub returns: TypeSpec<'a>,
    /// Its name.
    pub name: &'a str,
    /// Where the name stands.
    pub position: u32,
    /// Its parameters: one declarator each, its name empty where the text gives none.
    pub parameters: Vec<Declaration<'a>>,
}

/// What stands outside functions.
#[derive(Clone, Debug)]
pub(crate) enum Item<'a> {
    /// Variables or a struct.
    Declare(Declaration<'a>),
    /// A prototype, or with a body a function.
    Function(Prototype<'a>, Option<Vec<Stmt<'a>>>),
    /// `uniform B { … } b;`
    Block(Block<'a>),
    /// `invariant a, b;`
    Invariant(Vec<(&'a str, u32)>),
    /// `layout(row_major) uniform;`
    Default(Qualifiers<'a>),
}

/// A uniform block.
#[derive(Clone, Debug)]
pub(crate) struct Block<'a> {
    /// Qualifiers.
    pub qualifiers: Qualifiers<'a>,
    /// Its name, by which the stages share it.
    pub name: &'a str,
    /// Where the name stands.
    pub position: u32,
    /// Members.
    pub members: Vec<Declaration<'a>>,
    /// Name of the variable, if members are not global names.
    pub instance: Option<Declarator<'a>>,
}
