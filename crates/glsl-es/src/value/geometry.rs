//! Functions of whole vectors and matrices.

use super::super::types::Type;
use super::{Component, Value, matrix};

/// Folds a function that takes vectors or matrices as a whole.
pub(crate) fn fold(name: &str, arguments: &[Value], returns: &Type) -> Option<Value> {
    let floats = |value: &Value| value.iter().map(|component| component.float()).collect();
    let lists: Vec<Vec<f32>> = arguments.iter().map(floats).collect();
    let lists: Vec<&[f32]> = lists.iter().map(Vec::as_slice).collect();
    let folded = match (name, lists.as_slice()) {
        ("length", [a]) => vec![dot(a, a).sqrt()],
        ("dot", [a, b]) => vec![dot(a, b)],
        ("distance", [a, b]) => {
            let between = each(a, b, |a, b| a - b);
            vec![dot(&between, &between).sqrt()]
        }
        ("normalize", [a]) => {
            let length = dot(a, a).sqrt();
            a.iter().map(|x| x / length).collect()
        }
        ("cross", [[a, b, c], [d, e, f]]) => vec![b * f - c * e, c * d - a * f, a * e - b * d],
        ("faceforward", [normal, incident, reference]) => {
            let sign = if dot(reference, incident) < 0.0 { 1.0 } else { -1.0 };
            normal.iter().map(|x| x * sign).collect()
        }
        ("reflect", [incident, normal]) => {
            let twice = 2.0 * dot(normal, incident);
            each(incident, normal, |i, n| i - twice * n)
        }
        ("refract", [incident, normal, [eta]]) => refract(incident, normal, *eta),
        ("matrixCompMult", [a, b]) => each(a, b, |a, b| a * b),
        ("outerProduct", [column, row]) => row.iter().flat_map(|b| column.iter().map(move |a| a * b)).collect(),
        ("transpose", [a]) => matrix::transpose(a, returns),
        ("determinant", [a]) => vec![matrix::determinant(a)?],
        ("inverse", [a]) => matrix::inverse(a)?,
        _ => return None,
    };
    Some(folded.into_iter().map(Component::Float).collect())
}

/// The sum of products.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn each(a: &[f32], b: &[f32], operation: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| operation(*a, *b)).collect()
}

fn refract(incident: &[f32], normal: &[f32], eta: f32) -> Vec<f32> {
    let cosine = dot(normal, incident);
    let k = 1.0 - eta * eta * (1.0 - cosine * cosine);
    if k < 0.0 {
        return vec![0.0; incident.len()];
    }
    each(incident, normal, |i, n| eta * i - (eta * cosine + k.sqrt()) * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(name: &str, arguments: &[&[f32]], returns: &str) -> Vec<f32> {
        let value = |list: &&[f32]| list.iter().map(|x| Component::Float(*x)).collect();
        let arguments: Vec<Value> = arguments.iter().map(value).collect();
        let returns = Type::from_keyword(returns).unwrap();
        let folded = super::super::builtin(name, &arguments, &returns);
        folded.unwrap_or_else(|| panic!("{name} isn't folded")).iter().map(|component| component.float()).collect()
    }

    #[test]
    fn lengths_and_directions() {
        assert_eq!(folded("length", &[&[3.0, 4.0]], "float"), [5.0]);
        assert_eq!(folded("distance", &[&[1.0, 1.0], &[4.0, 5.0]], "float"), [5.0]);
        assert_eq!(folded("dot", &[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]], "float"), [32.0]);
        assert_eq!(folded("normalize", &[&[0.0, -2.0]], "vec2"), [0.0, -1.0]);
        assert_eq!(folded("normalize", &[&[-3.0]], "float"), [-1.0]);
        assert!(folded("normalize", &[&[0.0, 0.0]], "vec2").iter().all(|x| x.is_nan()));
        assert_eq!(folded("cross", &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]], "vec3"), [0.0, 0.0, 1.0]);
        assert_eq!(folded("cross", &[&[1.0, 2.0, 3.0], &[4.0, 6.0, 5.0]], "vec3"), [-8.0, 7.0, -2.0]);
    }

    #[test]
    fn rays_and_surfaces() {
        assert_eq!(folded("reflect", &[&[1.0, -1.0], &[0.0, 1.0]], "vec2"), [1.0, 1.0]);
        assert_eq!(folded("reflect", &[&[3.0], &[1.0]], "float"), [-3.0]);
        assert_eq!(folded("refract", &[&[0.0, -1.0], &[0.0, 1.0], &[0.5]], "vec2"), [0.0, -1.0]);
        let bent = folded("refract", &[&[0.6, -0.8], &[0.0, 1.0], &[0.5]], "vec2");
        assert!((bent[0] - 0.3).abs() < 1e-6 && (bent[1] + 0.953_939_2).abs() < 1e-6, "{bent:?}");
        // Total reflection.
        assert_eq!(folded("refract", &[&[0.8, -0.6], &[0.0, 1.0], &[2.0]], "vec2"), [0.0, 0.0]);
        assert_eq!(folded("faceforward", &[&[1.0, 2.0], &[0.0, -1.0], &[0.0, 1.0]], "vec2"), [1.0, 2.0]);
        assert_eq!(folded("faceforward", &[&[1.0, 2.0], &[0.0, 1.0], &[0.0, 1.0]], "vec2"), [-1.0, -2.0]);
    }

    #[test]
    fn products_and_transposes_go_by_columns() {
        let outer = folded("outerProduct", &[&[1.0, 2.0, 3.0], &[10.0, 100.0]], "mat2x3");
        assert_eq!(outer, [10.0, 20.0, 30.0, 100.0, 200.0, 300.0]);
        let transposed = folded("transpose", &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], "mat3x2");
        assert_eq!(transposed, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let back = folded("transpose", &[&transposed], "mat2x3");
        assert_eq!(back, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let product = folded("matrixCompMult", &[&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]], "mat2");
        assert_eq!(product, [5.0, 12.0, 21.0, 32.0]);
    }

    #[test]
    fn determinants_and_inverses() {
        assert_eq!(folded("determinant", &[&[1.0, 2.0, 3.0, 5.0]], "float"), [-1.0]);
        assert_eq!(folded("inverse", &[&[1.0, 2.0, 3.0, 5.0]], "mat2"), [-5.0, 2.0, 3.0, -1.0]);
        let singular = folded("inverse", &[&[1.0, 2.0, 2.0, 4.0]], "mat2");
        assert!(singular.iter().all(|x| !x.is_finite()), "{singular:?}");
        assert!(folded("inverse", &[&[0.0; 16]], "mat4").iter().all(|x| x.is_nan()));
    }
}
