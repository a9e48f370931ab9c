//! Sizes of a module's types and of the variables that have them.

use naga::front::Typifier;
use naga::proc::{ResolveContext, TypeResolution};
use naga::{
    AddressSpace, ArraySize, Expression, Function, Handle, Literal, LocalVariable, Module, Override, Type, TypeInner,
};

use super::{Exceeded, start_of};
use crate::limits::{
    MAX_SHADER_GROUP_WORDS, MAX_SHADER_TYPE_NESTING, MAX_SHADER_TYPE_WORDS, MAX_SHADER_VALUE_WORDS,
    MAX_SHADER_VARIABLES_WORDS,
};

/// Bytes of a word.
const WORD_BYTES: u64 = 4;

/// Sizes of types, by their place in the module.
pub(super) struct Sizes {
    types: Vec<TypeSize>,
}

/// Size of a type.
#[derive(Clone, Copy, Default)]
struct TypeSize {
    /// Its scalars, or a quarter of its bytes if that is more. A type of the API's has none.
    words: u64,
    /// Depth of types within it, itself included.
    nesting: u64,
}

impl Sizes {
    /// Words of a type. One that is not of the module, which the validator finds, has none.
    pub(super) fn words(&self, ty: Handle<Type>) -> u64 {
        self.of(ty).words
    }

    fn of(&self, ty: Handle<Type>) -> TypeSize {
        self.types.get(ty.index()).copied().unwrap_or_default()
    }

    fn add(&mut self, module: &Module, inner: &TypeInner) {
        let plain = |words| TypeSize { words, nesting: 1 };
        let size = match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => plain(words_of(scalar)),
            TypeInner::Vector { size, scalar } => plain(words_of(scalar) * size as u64),
            TypeInner::Matrix { columns, rows, scalar } => plain(words_of(scalar) * columns as u64 * rows as u64),
            TypeInner::Array { base, size, stride } => {
                let (of, count) = (self.of(base), count_of(module, size));
                let by_stride = count.saturating_mul(u64::from(stride)) / WORD_BYTES;
                TypeSize { words: count.saturating_mul(of.words).max(by_stride), nesting: of.nesting + 1 }
            }
            TypeInner::BindingArray { base, .. } => TypeSize { words: 0, nesting: self.of(base).nesting + 1 },
            TypeInner::Struct { ref members, span } => {
                let members = members.iter().map(|member| self.of(member.ty));
                let (words, nesting) = members.fold((0_u64, 0), |(words, nesting), member| {
                    (words.saturating_add(member.words), member.nesting.max(nesting))
                });
                TypeSize { words: words.max(u64::from(span) / WORD_BYTES), nesting: nesting + 1 }
            }
            _ => plain(0),
        };
        self.types.push(size);
    }
}

fn words_of(scalar: naga::Scalar) -> u64 {
    u64::from(scalar.width).div_ceil(WORD_BYTES)
}

/// Elements of an array; of one that is as long as its buffer, one.
fn count_of(module: &Module, size: ArraySize) -> u64 {
    match size {
        ArraySize::Constant(count) => u64::from(count.get()),
        ArraySize::Pending(length) => most_of(module, length),
        ArraySize::Dynamic => 1,
    }
}

/// The value of an override, which nothing here gives another one; as large as can be if it is no number.
fn most_of(module: &Module, length: Handle<Override>) -> u64 {
    let init = module.overrides.try_get(length).ok().and_then(|length| length.init);
    match init.and_then(|init| module.global_expressions.try_get(init).ok()) {
        Some(Expression::Literal(Literal::U32(count))) => u64::from(*count),
        Some(Expression::Literal(Literal::I32(count))) => u64::from(count.unsigned_abs()),
        _ => u64::from(u32::MAX),
    }
}

/// Checks a module's types, variables and values.
pub(super) fn check(module: &Module) -> Result<Sizes, Exceeded> {
    let mut sizes = Sizes { types: Vec::with_capacity(module.types.len()) };
    for (handle, ty) in module.types.iter() {
        sizes.add(module, &ty.inner);
        let (nesting, place) = (sizes.of(handle).nesting, start_of(module.types.get_span(handle)));
        Exceeded::above("nesting of types", nesting, MAX_SHADER_TYPE_NESTING, place)?;
    }
    globals(module, &sizes)?;
    for (_, expression) in module.global_expressions.iter() {
        value(&sizes, expression_type(expression), None)?;
    }
    let functions = module.functions.iter().map(|(_, function)| function);
    functions
        .chain(module.entry_points.iter().map(|entry| &entry.function))
        .try_for_each(|of| function(module, of, &sizes))?;
    // Behind the variables, which have a smaller limit and a place of their own.
    for (handle, _) in module.types.iter() {
        let place = start_of(module.types.get_span(handle));
        in_bytes("largest type's size in bytes", sizes.words(handle), MAX_SHADER_TYPE_WORDS, place)?;
    }
    Ok(sizes)
}

fn in_bytes(what: &'static str, words: u64, limit: u64, place: Option<usize>) -> Result<(), Exceeded> {
    Exceeded::above(what, words.saturating_mul(WORD_BYTES), limit * WORD_BYTES, place)
}

/// Checks variables of the module: those that each invocation has, and those that a group shares.
fn globals(module: &Module, sizes: &Sizes) -> Result<(), Exceeded> {
    let (mut private, mut shared) = (0_u64, 0_u64);
    for (handle, global) in module.global_variables.iter() {
        let (words, place) = (sizes.words(global.ty), start_of(module.global_variables.get_span(handle)));
        match global.space {
            AddressSpace::Private => {
                in_bytes("private variable's size in bytes", words, MAX_SHADER_VALUE_WORDS, place)?;
                private = private.saturating_add(words);
                in_bytes("size in bytes of all private variables", private, MAX_SHADER_VARIABLES_WORDS, place)?;
            }
            AddressSpace::WorkGroup => {
                shared = shared.saturating_add(words);
                in_bytes("size in bytes of workgroup variables", shared, MAX_SHADER_GROUP_WORDS, place)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks a function's variables and values.
fn function(module: &Module, function: &Function, sizes: &Sizes) -> Result<(), Exceeded> {
    let mut sum = 0_u64;
    for (handle, variable) in function.local_variables.iter() {
        let (words, place) = (sizes.words(variable.ty), start_of(local_span(function, handle)));
        in_bytes("function variable's size in bytes", words, MAX_SHADER_VALUE_WORDS, place)?;
        sum = sum.saturating_add(words);
        in_bytes("size in bytes of all variables of a function", sum, MAX_SHADER_VARIABLES_WORDS, place)?;
    }
    for argument in &function.arguments {
        value(sizes, Some(argument.ty), None)?;
    }
    value(sizes, function.result.as_ref().map(|result| result.ty), None)?;
    let context = ResolveContext::with_locals(module, &function.local_variables, &function.arguments);
    let mut typifier = Typifier::new();
    let Some((last, _)) = function.expressions.iter().last() else { return Ok(()) };
    // An expression without a type is for the validator to name.
    let is_typed = typifier.grow(last, &function.expressions, &context).is_ok();
    for (handle, expression) in function.expressions.iter() {
        let loaded = match expression {
            Expression::Load { .. } | Expression::CallResult(_) if is_typed => match &typifier[handle] {
                TypeResolution::Handle(ty) => Some(*ty),
                TypeResolution::Value(_) => None,
            },
            other => expression_type(other),
        };
        value(sizes, loaded, start_of(function.expressions.get_span(handle)))?;
    }
    Ok(())
}

fn local_span(function: &Function, variable: Handle<LocalVariable>) -> naga::Span {
    function.local_variables.get_span(variable)
}

/// The type that an expression names itself.
fn expression_type(expression: &Expression) -> Option<Handle<Type>> {
    match expression {
        Expression::ZeroValue(ty) | Expression::Compose { ty, .. } => Some(*ty),
        _ => None,
    }
}

fn value(sizes: &Sizes, ty: Option<Handle<Type>>, place: Option<usize>) -> Result<(), Exceeded> {
    let words = ty.map_or(0, |ty| sizes.words(ty));
    in_bytes("largest value's size in bytes", words, MAX_SHADER_VALUE_WORDS, place)
}
