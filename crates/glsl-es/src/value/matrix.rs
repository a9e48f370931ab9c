//! Linear algebra on components in column order.

use super::super::types::Type;
use super::geometry::dot;
use super::{Component, Value};

/// The product of two operands of which one at least is a matrix and neither a scalar.
pub(crate) fn product(left: (&Value, &Type), right: (&Value, &Type)) -> Option<Value> {
    let rows = match left.1 {
        // A vector on the left is one row.
        Type::Numeric(_, 1, _) => 1,
        Type::Numeric(_, _, rows) => usize::from(*rows),
        _ => return None,
    };
    let inner = left.0.len().checked_div(rows).filter(|inner| *inner > 0)?;
    let cell = |row: usize, column: &[Component]| {
        let row = left.0.iter().skip(row).step_by(rows);
        Component::Float(row.zip(column).map(|(a, b)| a.float() * b.float()).sum())
    };
    let mut cells = Vec::with_capacity(16);
    for column in right.0.chunks_exact(inner) {
        cells.extend((0..rows).map(|row| cell(row, column)));
    }
    Some(cells.into())
}

/// A matrix with rows and columns exchanged; `returns` is the type it has then.
pub(crate) fn transpose(cells: &[f32], returns: &Type) -> Vec<f32> {
    let Type::Numeric(_, columns @ 1.., _) = returns else { return Vec::new() };
    let columns = usize::from(*columns);
    (0..columns).flat_map(|column| cells.iter().skip(column).step_by(columns).copied()).collect()
}

/// The determinant of a square matrix.
pub(crate) fn determinant(cells: &[f32]) -> Option<f32> {
    Some(match cells.len() {
        4 => determinant2(&square(cells)?),
        9 => determinant3(&square(cells)?),
        16 => determinant4(&minors(&square(cells)?)),
        _ => return None,
    })
}

/// The inverse of a square matrix, by cofactors: the same sums as the functions that the translation calls at run time.
pub(crate) fn inverse(cells: &[f32]) -> Option<Vec<f32>> {
    Some(match cells.len() {
        4 => inverse2(&square(cells)?).to_vec(),
        9 => inverse3(&square(cells)?).to_vec(),
        16 => inverse4(&square(cells)?).to_vec(),
        _ => return None,
    })
}

fn square<const N: usize>(cells: &[f32]) -> Option<[[f32; N]; N]> {
    cells.as_chunks().0.try_into().ok()
}

fn determinant2(m: &[[f32; 2]; 2]) -> f32 {
    m[0][0] * m[1][1] - m[1][0] * m[0][1]
}

fn inverse2(m: &[[f32; 2]; 2]) -> [f32; 4] {
    let d = determinant2(m);
    [m[1][1] / d, -m[0][1] / d, -m[1][0] / d, m[0][0] / d]
}

fn cross(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn determinant3(m: &[[f32; 3]; 3]) -> f32 {
    dot(&m[0], &cross(&m[1], &m[2]))
}

fn inverse3(m: &[[f32; 3]; 3]) -> [f32; 9] {
    let (a, b, c) = (cross(&m[1], &m[2]), cross(&m[2], &m[0]), cross(&m[0], &m[1]));
    let d = dot(&m[0], &a);
    [a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]].map(|cofactor| cofactor / d)
}

/// Determinants of all pairs of rows, in the first two columns and in the last two.
struct Minors {
    first: [f32; 6],
    last: [f32; 6],
}

fn minors(m: &[[f32; 4]; 4]) -> Minors {
    let pairs = |a: &[f32; 4], b: &[f32; 4]| {
        [
            a[0] * b[1] - a[1] * b[0],
            a[0] * b[2] - a[2] * b[0],
            a[0] * b[3] - a[3] * b[0],
            a[1] * b[2] - a[2] * b[1],
            a[1] * b[3] - a[3] * b[1],
            a[2] * b[3] - a[3] * b[2],
        ]
    };
    Minors { first: pairs(&m[0], &m[1]), last: pairs(&m[2], &m[3]) }
}

fn determinant4(Minors { first: a, last: b }: &Minors) -> f32 {
    a[0] * b[5] - a[1] * b[4] + a[2] * b[3] + a[3] * b[2] - a[4] * b[1] + a[5] * b[0]
}

fn inverse4(m: &[[f32; 4]; 4]) -> [f32; 16] {
    let minors = minors(m);
    let d = determinant4(&minors);
    let Minors { first: a, last: b } = minors;
    [
        m[1][1] * b[5] - m[1][2] * b[4] + m[1][3] * b[3],
        m[0][2] * b[4] - m[0][1] * b[5] - m[0][3] * b[3],
        m[3][1] * a[5] - m[3][2] * a[4] + m[3][3] * a[3],
        m[2][2] * a[4] - m[2][1] * a[5] - m[2][3] * a[3],
        m[1][2] * b[2] - m[1][0] * b[5] - m[1][3] * b[1],
        m[0][0] * b[5] - m[0][2] * b[2] + m[0][3] * b[1],
        m[3][2] * a[2] - m[3][0] * a[5] - m[3][3] * a[1],
        m[2][0] * a[5] - m[2][2] * a[2] + m[2][3] * a[1],
        m[1][0] * b[4] - m[1][1] * b[2] + m[1][3] * b[0],
        m[0][1] * b[2] - m[0][0] * b[4] - m[0][3] * b[0],
        m[3][0] * a[4] - m[3][1] * a[2] + m[3][3] * a[0],
        m[2][1] * a[2] - m[2][0] * a[4] - m[2][3] * a[0],
        m[1][1] * b[1] - m[1][0] * b[3] - m[1][2] * b[0],
        m[0][0] * b[3] - m[0][1] * b[1] + m[0][2] * b[0],
        m[3][1] * a[1] - m[3][0] * a[3] - m[3][2] * a[0],
        m[2][0] * a[3] - m[2][1] * a[1] + m[2][2] * a[0],
    ]
    .map(|cofactor| cofactor / d)
}

#[cfg(test)]
mod tests {
    use super::super::super::ast::BinaryOp;
    use super::*;

    fn multiplied(left: (&[f32], &str), right: (&[f32], &str)) -> Vec<f32> {
        let value = |list: &[f32]| -> Value { list.iter().map(|x| Component::Float(*x)).collect() };
        let (a, b) = (value(left.0), value(right.0));
        let ty = |word| Type::from_keyword(word).unwrap();
        let product = super::super::binary(BinaryOp::Multiply, (&a, &ty(left.1)), (&b, &ty(right.1)));
        product.unwrap().iter().map(|component| component.float()).collect()
    }

    #[test]
    fn products_of_matrices_and_vectors() {
        let m = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(multiplied((&m, "mat2x3"), (&[10.0, 100.0], "vec2")), [410.0, 520.0, 630.0]);
        assert_eq!(multiplied((&[1.0, 10.0, 100.0], "vec3"), (&m, "mat2x3")), [321.0, 654.0]);
        assert_eq!(multiplied((&[10.0, 100.0], "vec2"), (&m, "mat3x2")), [210.0, 430.0, 650.0]);
        assert_eq!(multiplied((&m, "mat2x3"), (&m, "mat3x2")), [9.0, 12.0, 15.0, 19.0, 26.0, 33.0, 29.0, 40.0, 51.0]);
        assert_eq!(multiplied((&m, "mat3x2"), (&m, "mat2x3")), [22.0, 28.0, 49.0, 64.0]);
        assert_eq!(multiplied((&m, "mat2x3"), (&[2.0], "float")), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        let huge = [1e38, 0.0, 0.0, 1e38];
        assert_eq!(multiplied((&huge, "mat2"), (&[10.0, 10.0], "vec2")), [f32::INFINITY; 2]);
    }

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let three = [2.0, -1.0, 0.5, 1.0, 3.0, -2.0, 0.25, 1.0, 4.0];
        let four = [2.0, -1.0, 0.5, 1.0, 3.0, -2.0, 0.25, 1.0, 4.0, 0.0, 1.0, -3.0, 1.0, 1.5, 2.0, -0.5];
        for (cells, size, ty) in [(&[1.0, 2.0, 3.0, 5.0][..], 2, "mat2"), (&three, 3, "mat3"), (&four, 4, "mat4")] {
            let inverse = inverse(cells).unwrap();
            for product in [multiplied((&inverse, ty), (cells, ty)), multiplied((cells, ty), (&inverse, ty))] {
                for (at, x) in product.iter().enumerate() {
                    let wanted = if at % (size + 1) == 0 { 1.0 } else { 0.0 };
                    assert!((x - wanted).abs() < 1e-5, "{ty}: {product:?}");
                }
            }
        }
        assert!(inverse(&[1.0; 6]).is_none() && determinant(&[1.0; 6]).is_none());
    }

    #[test]
    fn determinants_of_each_size() {
        assert_eq!(determinant(&[3.0, 1.0, 2.0, 4.0]), Some(10.0));
        // An exchange of columns turns the sign.
        assert_eq!(determinant(&[0.0, 2.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 5.0]), Some(-30.0));
        let mut cells = [0.0; 16];
        for (at, x) in [(1, 2.0), (4, 3.0), (10, 5.0), (15, 7.0), (3, 9.0)] {
            cells[at] = x;
        }
        assert_eq!(determinant(&cells), Some(-210.0));
        assert_eq!(determinant(&[2.0, 0.0, 1.0, 3.0, 4.0, 0.0, 0.0, 1.0, 1.0]), Some(11.0));
    }
}
