//! Constructors.

use super::super::error::Result;
use super::super::typed::Expr;
use super::super::types::{Scalar, Type};
use super::place::letters;
use super::runtime::matrix;
use super::types::{numeric, vector};
use super::{Value, Writer};

impl Writer<'_> {
    pub(super) fn construct(&mut self, ty: &Type, arguments: &[Expr]) -> Result<Value> {
        let operands: Vec<&Expr> = arguments.iter().collect();
        let values = self.operands(&operands)?;
        let Type::Numeric(scalar, columns, rows) = *ty else { return Ok(Value::call(self.ty(ty), values)) };
        let types: Vec<&Type> = arguments.iter().map(|argument| &argument.ty).collect();
        if let ([value], [from]) = (values.as_slice(), types.as_slice()) {
            return Ok(self.convert((scalar, columns, rows), value.clone(), from));
        }
        Ok(self.assemble((scalar, columns, rows), values, &types))
    }

    /// A constructor with one argument.
    fn convert(&mut self, (scalar, columns, rows): (Scalar, u8, u8), value: Value, from: &Type) -> Value {
        let Type::Numeric(from_scalar, from_columns, from_rows) = *from else { return value };
        if columns > 1 {
            return match (from_columns, from_rows) {
                (1, 1) => self.diagonal(columns, rows, cast(scalar, 1, from_scalar, value)),
                (1, _) => self.assemble((scalar, columns, rows), vec![value], &[from]),
                _ => self.resize((columns, rows), (from_columns, from_rows), value),
            };
        }
        if from_columns > 1 {
            if rows == 1 {
                return cast(scalar, 1, Scalar::Float, value.column(0).member("x"));
            }
            return self.assemble((scalar, columns, rows), vec![value], &[from]);
        }
        let value = cut(value, from_rows, rows);
        if from_rows == 1 && rows > 1 {
            let one = cast(scalar, 1, from_scalar, value);
            return Value::call(vector(scalar, rows), vec![one]);
        }
        cast(scalar, rows, from_scalar, value)
    }

    fn diagonal(&mut self, columns: u8, rows: u8, value: Value) -> Value {
        let value = self.keep(value);
        let cells = (0..columns).flat_map(|column| (0..rows).map(move |row| column == row));
        let cells = cells.map(|is_diagonal| if is_diagonal { value.clone() } else { Value::literal("0.0f") }).collect();
        Value::call(matrix(columns, rows), cells)
    }

    fn resize(&mut self, (columns, rows): (u8, u8), (from_columns, from_rows): (u8, u8), value: Value) -> Value {
        if (columns, rows) == (from_columns, from_rows) {
            return value;
        }
        let value = self.keep(value);
        let identity = |column: u8, row: u8| Value::literal(if column == row { "1.0f" } else { "0.0f" });
        let lines = (0..columns)
            .map(|column| {
                if column < from_columns && from_rows >= rows {
                    return cut(value.column(column), from_rows, rows);
                }
                let is_given = column < from_columns;
                let mut parts: Vec<Value> = is_given.then(|| value.column(column)).into_iter().collect();
                let first = if is_given { from_rows } else { 0 };
                parts.extend((first..rows).map(|row| identity(column, row)));
                Value::call(vector(Scalar::Float, rows), parts)
            })
            .collect();
        Value::call(matrix(columns, rows), lines)
    }

    /// Several arguments, or one of which the components are laid out anew.
    fn assemble(&mut self, (scalar, columns, rows): (Scalar, u8, u8), values: Vec<Value>, types: &[&Type]) -> Value {
        let needed = usize::from(columns) * usize::from(rows);
        let mut parts: Vec<Value> = Vec::new();
        let mut given = 0;
        // A matrix takes columns as they are, or scalars.
        let by_columns = columns > 1 && types.iter().all(|ty| **ty == Type::vector(Scalar::Float, rows));
        for (value, ty) in values.into_iter().zip(types) {
            let Type::Numeric(from, from_columns, from_rows) = **ty else { continue };
            let left = needed - given;
            let whole = from_columns == 1 && (columns == 1 || by_columns || from_rows == 1);
            if whole {
                let taken = usize::from(from_rows).min(left) as u8;
                parts.push(cast(scalar, taken, from, cut(value, from_rows, taken)));
                given += usize::from(taken);
                continue;
            }
            let value = self.keep(value);
            let cells = (0..from_columns).flat_map(|column| (0..from_rows).map(move |row| (column, row)));
            for (column, row) in cells.take(left) {
                let vector = if from_columns == 1 { value.clone() } else { value.column(column) };
                parts.push(cast(scalar, 1, from, vector.member(letters(&[row]))));
                given += 1;
            }
        }
        Value::call(numeric(scalar, columns, rows), parts)
    }
}

/// Converts components, if they are of another kind.
fn cast(to: Scalar, size: u8, from: Scalar, value: Value) -> Value {
    if to == from {
        return value;
    }
    Value::call(vector(to, size), vec![value])
}

/// The first components of a vector.
fn cut(value: Value, from: u8, to: u8) -> Value {
    if from <= to {
        return value;
    }
    let all: Vec<u8> = (0..to).collect();
    value.member(letters(&all))
}
