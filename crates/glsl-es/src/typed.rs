//! The typed tree: what checking makes of the syntax tree, and what WGSL is written from.

use super::ast::{BinaryOp, Precision, Step, UnaryOp};
use super::error::Note;
use super::language::Language;
use super::source::Stage;
use super::types::{Struct, Type};
use super::value::Value;

use std::collections::BTreeSet;
use std::sync::Arc;

/// Index into [`Program::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VariableId(pub usize);

/// Index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FunctionId(pub usize);

/// Index into [`Program::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BlockId(pub usize);

/// A checked text.
#[derive(Debug)]
pub(crate) struct Program {
    /// Which version of the language it is in.
    pub language: Language,
    /// Which stage it is for.
    pub stage: Stage,
    /// Every variable, parameters and built-in variables included.
    pub variables: Vec<Variable>,
    /// Variables outside functions with their initial values, in order.
    pub globals: Vec<(VariableId, Option<Expr>)>,
    /// Every function.
    pub functions: Vec<Function>,
    /// Functions that `main` reaches, callees first; `main` is the last.
    pub reachable: Vec<FunctionId>,
    /// Uniform blocks.
    pub blocks: Vec<Block>,
    /// Structs in order of declaration.
    pub structs: Vec<Arc<Struct>>,
    /// The precisions of their members.
    pub member_precisions: Vec<Vec<Option<Precision>>>,
    /// Outputs declared invariant; `gl_Position` among them.
    pub position_is_invariant: bool,
    /// Whether `main` holds the statement that naga's GLSL writer ends vertex shaders with.
    pub has_naga_epilogue: bool,
    /// Things noticed and passed over.
    pub notes: Vec<Note>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// As the text names it.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub kind: VariableKind,
    /// Of a uniform, its precision.
    pub precision: Option<Precision>,
    /// Where it is declared.
    pub position: u32,
    /// Whether anything assigns it, its declaration aside.
    pub written: bool,
    /// Whether anything that `main` reaches mentions it.
    pub used: bool,
    /// Its value, if it is a constant that could be folded.
    pub value: Option<Value>,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableKind {
    /// In a function.
    Local,
    /// `const`, anywhere.
    Const,
    /// Outside functions.
    Global,
    /// Parameter that is passed in.
    In {
        /// It is never written.
        is_const: bool,
    },
    /// Parameter that is passed out.
    Out,
    /// Parameter that is passed in and out.
    InOut,
    /// Uniform outside blocks, samplers included.
    Uniform {
        /// Matrices in it are stored by rows.
        row_major: bool,
    },
    /// Member of a block without a variable name.
    Member(BlockId, usize),
    /// Variable of a block.
    Instance(BlockId),
    /// Input of the stage.
    Input(Interface),
    /// Output of the stage.
    Output(Interface),
    /// `gl_…`
    Builtin(Builtin),
}

/// How an input or output is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Interface {
    /// `layout(location = …)`
    pub location: Option<u32>,
    /// `flat`
    pub flat: bool,
    /// `centroid`
    pub centroid: bool,
}

/// Built-in variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named for its variable")]
pub(crate) enum Builtin {
    Position,
    PointSize,
    VertexId,
    InstanceId,
    FragCoord,
    FrontFacing,
    PointCoord,
    FragDepth,
}

/// A function.
#[derive(Debug)]
pub(crate) struct Function {
    /// Its name.
    pub name: String,
    /// Where its name stands first.
    pub position: u32,
    /// What it returns.
    pub returns: Type,
    /// Parameter types and directions (`In`, `Out`, `InOut`).
    pub signature: Vec<(Type, VariableKind)>,
    /// Parameters of the definition.
    pub parameters: Vec<VariableId>,
    /// Statements; `None` as long as only a prototype was seen.
    pub body: Option<Vec<Stmt>>,
    /// Functions it calls, one entry a call.
    pub calls: Vec<(FunctionId, u32)>,
    /// Whether it, itself, writes a global or discards.
    pub effects: bool,
    /// Number of expressions in it.
    pub expressions: u64,
    /// Variables that it mentions.
    pub uses: BTreeSet<VariableId>,
}

/// A uniform block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Name by which the stages share it.
    pub name: String,
    /// Where its name stands.
    pub position: u32,
    /// Its members, as those of a struct.
    pub of: Arc<Struct>,
    /// By member: whether its matrices are stored by rows.
    pub by_rows: Vec<bool>,
    /// How it says that its members are laid out; all are laid out as `std140`.
    pub packing: &'static str,
    /// Whether its members are those of a variable.
    pub has_instance: bool,
    /// Number of copies, for an array of blocks.
    pub copies: Option<u32>,
}

impl Block {
    /// The types of its members in order, and whether matrices are stored by rows.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (&Type, bool)> {
        self.of.members.iter().map(|(_, ty)| ty).zip(self.by_rows.iter().copied())
    }
}

/// A typed expression.
#[derive(Debug)]
pub(crate) struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub position: u32,
    /// Whether evaluating it may change a variable or discard: then it must happen exactly once and in order.
    pub effects: bool,
    /// Its value, if constant and folded.
    pub value: Option<Value>,
    /// Whether it is a constant expression, folded or not.
    pub constant: bool,
}

/// Kinds of typed expression.
#[derive(Debug)]
pub(crate) enum ExprKind {
    /// A constant; [`Expr::value`] holds it.
    Literal,
    /// A variable.
    Variable(VariableId),
    /// `-a`, `!a`, `~a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`; operands have been checked to fit
    Binary(BinaryOp, LeftOperand, Box<Expr>),
    /// `a ? b : c`
    Ternary(Box<[Expr; 3]>),
    /// `a = b`, `a += b`
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `a++`
    Step(Step, Box<Expr>),
    /// `a, b`
    Comma(Vec<Expr>),
    /// `a[b]`
    Index(Box<Expr>, Box<Expr>),
    /// `a.b` of a struct
    Member(Box<Expr>, usize),
    /// `a.zyx`
    Swizzle(Box<Expr>, Vec<u8>),
    /// Call of a function of the text
    Call(FunctionId, Vec<Expr>),
    /// Call of a built-in function
    Builtin(&'static str, Vec<Expr>),
    /// Call of a texture function
    Texture(TextureCall, Vec<Expr>),
    /// Constructor of the expression's type
    Construct(Vec<Expr>),
}

/// The left operand of an operator. It may be as deep as a chain of operators is long, so it is dropped in a loop.
#[derive(Debug)]
pub(crate) struct LeftOperand(Box<Expr>);

impl LeftOperand {
    /// An expression to the left of an operator.
    pub(crate) fn new(operand: Expr) -> Self {
        Self(Box::new(operand))
    }
}

impl std::ops::Deref for LeftOperand {
    type Target = Expr;

    fn deref(&self) -> &Expr {
        &self.0
    }
}

impl Drop for LeftOperand {
    fn drop(&mut self) {
        let mut kind = std::mem::replace(&mut self.0.kind, ExprKind::Literal);
        while let ExprKind::Binary(_, left, _) = &mut kind {
            kind = std::mem::replace(&mut left.0.kind, ExprKind::Literal);
        }
    }
}

/// What a texture function's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextureCall {
    /// `textureSize`, `texelFetch` or a sampling function.
    pub access: Access,
    /// `…Proj…`
    pub projected: bool,
    /// `…Offset`
    pub offset: bool,
}

/// Ways to read a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// `textureSize`
    Size,
    /// `texelFetch`
    Fetch,
    /// `texture`: level by derivatives, perhaps with a bias
    Implicit,
    /// `textureLod`
    Level,
    /// `textureGrad`
    Gradients,
}

/// A typed statement.
#[derive(Debug)]
pub(crate) enum Stmt {
    /// `{ … }`
    Block(Vec<Stmt>),
    /// A variable's declaration.
    Declare(VariableId, Option<Expr>),
    /// An expression for its effects.
    Expr(Expr),
    /// `if … else if … else …`
    If(Vec<(Expr, Stmt)>, Option<Box<Stmt>>),
    /// Cases in order, each with its labels (`None` is `default`) and statements.
    Switch(Expr, Vec<Case>),
    /// Any loop.
    Loop(Box<Loop>),
    /// `return`
    Return(Option<Expr>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `discard`
    Discard,
}

/// A group of a `switch`.
#[derive(Debug)]
pub(crate) struct Case {
    /// Labels; `None` is `default`.
    pub labels: Vec<Option<Value>>,
    /// What runs, before falling into the next group.
    pub body: Vec<Stmt>,
}

/// `for`, `while` and `do`.
#[derive(Debug)]
pub(crate) struct Loop {
    /// What runs first.
    pub init: Option<Stmt>,
    /// A variable declared in the condition.
    pub condition_variable: Option<VariableId>,
    /// What is asked before each round, or after it.
    pub condition: Option<Expr>,
    /// Whether `condition` is asked after each round.
    pub asks_after: bool,
    /// What runs after each round.
    pub step: Option<Expr>,
    /// The rounds.
    pub body: Stmt,
}

impl Expr {
    /// The index into an array of samplers that is known at run time only, which GLSL ES 1.00 has, and the array's length.
    pub(crate) fn dynamic_sampler(&self) -> Option<(&Expr, u32)> {
        match (&self.kind, &self.ty) {
            (ExprKind::Index(base, index), Type::Sampler(_)) if index.value.is_none() => match base.ty {
                Type::Array(_, length) => Some((index, length)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Program {
    /// A variable by id.
    pub(crate) fn variable(&self, id: VariableId) -> Option<&Variable> {
        self.variables.get(id.0)
    }
}
