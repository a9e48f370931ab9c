//! Variables and parts of them: read, and written to.

use super::super::error::Result;
use super::super::typed::{Expr, ExprKind, VariableId, VariableKind};
use super::super::types::{Scalar, Type};
use super::types::{member, vector};
use super::{Statement, Value, Writer};

const LETTERS: [&str; 4] = ["x", "y", "z", "w"];

/// Something in memory that can be assigned.
pub(crate) struct Place {
    /// A WGSL reference.
    base: Value,
    /// Which components of it, if it is a vector and not all in order.
    swizzle: Vec<u8>,
    /// Which of the swizzled components, if an index follows the swizzle.
    index: Option<Value>,
    /// What the components are.
    scalar: Scalar,
}

/// Letters of a swizzle.
pub(crate) fn letters(components: &[u8]) -> String {
    components.iter().filter_map(|component| LETTERS.get(usize::from(*component))).copied().collect()
}

impl Writer<'_> {
    /// Finds the place of an assignment. Its indices are evaluated here and now, once.
    pub(super) fn place(&mut self, target: &Expr) -> Result<Place> {
        match &target.kind {
            ExprKind::Variable(id) => {
                let scalar = target.ty.scalar().unwrap_or(Scalar::Float);
                Ok(Place { base: self.variable(*id), swizzle: Vec::new(), index: None, scalar })
            }
            ExprKind::Member(base, at) => {
                let mut place = self.place(base)?;
                place.base = place.base.member(member_name(&base.ty, *at));
                place.scalar = target.ty.scalar().unwrap_or(Scalar::Float);
                Ok(place)
            }
            ExprKind::Index(base, index) => {
                let mut place = self.place(base)?;
                place.scalar = target.ty.scalar().unwrap_or(place.scalar);
                let value = self.index(index)?;
                // An index is read once, also where the place is read and then written.
                let index = if value.is_fixed() { value } else { self.keep(value) };
                match place.swizzle.is_empty() {
                    true => place.base = place.base.element(&index),
                    false => place.index = Some(index),
                }
                Ok(place)
            }
            ExprKind::Swizzle(base, components) => {
                let mut place = self.place(base)?;
                let composed: Vec<u8> = match place.swizzle.is_empty() {
                    true => components.clone(),
                    false => components.iter().filter_map(|c| place.swizzle.get(usize::from(*c)).copied()).collect(),
                };
                place.swizzle.clear();
                match composed.as_slice() {
                    [one] => place.base = place.base.member(letters(&[*one])),
                    _ => place.swizzle = composed,
                }
                Ok(place)
            }
            // The checker lets nothing else be assigned.
            _ => {
                let value = self.value(target)?;
                let value = self.keep_in_memory(&value);
                Ok(Place { base: value, swizzle: Vec::new(), index: None, scalar: Scalar::Float })
            }
        }
    }

    /// What a place holds.
    pub(super) fn load(&mut self, place: &Place) -> Value {
        match (place.swizzle.as_slice(), &place.index) {
            ([], _) => place.base.clone().changing(),
            (components, None) => place.base.member(letters(components)).changing(),
            (components, Some(index)) => {
                let whole = self.keep_in_memory(&place.base.member(letters(components)));
                whole.element(index).changing()
            }
        }
    }

    /// Writes a value to a place.
    pub(super) fn store(&mut self, place: &Place, value: &Value) {
        if place.swizzle.is_empty() {
            self.push(Statement::Assign(place.base.clone(), value.clone()));
            return;
        }
        let whole = match &place.index {
            None => self.bind(value),
            Some(index) => {
                let value = self.keep(value.clone());
                let name = self.temporary();
                let ty = vector(place.scalar, place.swizzle.len() as u8);
                self.declare_var(&name, ty, Some(place.base.member(letters(&place.swizzle))));
                let whole = Value::read(name);
                self.push(Statement::Assign(whole.element(index), value));
                whole
            }
        };
        for (from, to) in place.swizzle.iter().enumerate() {
            let component = place.base.member(letters(&[*to]));
            self.push(Statement::Assign(component, whole.member(letters(&[from as u8]))));
        }
    }

    /// Reads a variable or a part of anything.
    pub(super) fn access(&mut self, expression: &Expr) -> Result<Value> {
        if let Some(root) = root_of(expression) {
            let kind = self.kind(root);
            let is_uniform =
                matches!(kind, VariableKind::Uniform { .. } | VariableKind::Member(..) | VariableKind::Instance(_));
            if is_uniform {
                return self.read_uniform(expression);
            }
        }
        match &expression.kind {
            ExprKind::Variable(id) => Ok(self.read_variable(*id)),
            ExprKind::Member(base, at) => {
                let value = self.value(base)?;
                Ok(value.member(member_name(&base.ty, *at)))
            }
            ExprKind::Swizzle(base, components) => {
                let value = self.value(base)?;
                Ok(value.member(letters(components)))
            }
            ExprKind::Index(base, index) => self.read_element(base, index),
            _ => self.value(expression),
        }
    }

    /// Writes an index. One that GLSL doesn't call constant may still come out as a literal (`a[i = 7]`): naga would
    /// check it against the size, and GLSL leaves it open.
    pub(super) fn index(&mut self, index: &Expr) -> Result<Value> {
        let value = self.value(index)?;
        let is_constant = index.value.is_some() && !index.effects;
        Ok(if is_constant { value } else { self.opaque(value) })
    }

    fn read_variable(&mut self, id: VariableId) -> Value {
        if self.is_inlined(id)
            && let Some((value, ty)) = self.program.variable(id).and_then(|v| Some((v.value.clone()?, v.ty.clone())))
        {
            return self.literal(&ty, &value);
        }
        match self.kind(id) {
            VariableKind::Const => Value::fixed(self.name(id)),
            _ => self.variable(id),
        }
    }

    fn read_element(&mut self, base: &Expr, index: &Expr) -> Result<Value> {
        let in_memory = root_of(base).is_some_and(|root| !self.is_inlined(root)) && is_reference(base);
        // A constant array that could be folded is still read from its variable.
        let value = match &base.kind {
            ExprKind::Variable(id) if in_memory => self.variable(*id),
            _ => self.value(base)?,
        };
        let value = if index.effects && !in_memory { self.keep(value) } else { value };
        let index_value = self.index(index)?;
        let dynamic = index.value.is_none();
        let value = if dynamic && !in_memory && !base.ty.is_vector() { self.keep_in_memory(&value) } else { value };
        Ok(value.element(&index_value))
    }
}

/// The variable that an access chain starts from.
pub(crate) fn root_of(expression: &Expr) -> Option<VariableId> {
    let mut at = expression;
    loop {
        match &at.kind {
            ExprKind::Variable(id) => return Some(*id),
            ExprKind::Index(base, _) | ExprKind::Member(base, _) | ExprKind::Swizzle(base, _) => at = base,
            _ => return None,
        }
    }
}

/// Whether an access chain is a WGSL reference, which a swizzle is not.
fn is_reference(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Variable(_) => true,
        ExprKind::Index(base, _) | ExprKind::Member(base, _) => {
            is_reference(base) && !(expression.value.is_some() && matches!(expression.ty, Type::Numeric(..)))
        }
        _ => false,
    }
}

/// Name of a struct's member in WGSL.
pub(crate) fn member_name(ty: &Type, at: usize) -> String {
    match ty {
        Type::Struct(of) => of.members.get(at).map(|(name, _)| member(name)).unwrap_or_default(),
        _ => String::new(),
    }
}
