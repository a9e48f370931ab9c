//! std140: where the members of a uniform block lie.
//!
//! | type | aligned to | size | step in an array |
//! |---|---|---|---|
//! | scalar | 4 | 4 | 16 |
//! | vec2 | 8 | 8 | 16 |
//! | vec3 | 16 | 12 | 16 |
//! | vec4 | 16 | 16 | 16 |
//! | matrix | 16 | 16 for each column (each row, if `row_major`) | its size |
//! | struct | 16 | to a multiple of 16 | its size |
//!
//! A `bool` is a 32-bit word. Samplers take no room. So everything that is indexed at run time is a multiple of 16
//! away, and a vector never straddles 16 bytes: a block can be read as an array of `vec4<u32>`.

use super::types::Type;

/// Alignment and size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Alignment.
    pub align: u32,
    /// Size without padding behind it.
    pub size: u32,
}

/// Alignment and size of a type.
pub(crate) fn extent(ty: &Type, row_major: bool) -> Extent {
    match ty {
        Type::Void | Type::Sampler(_) => Extent { align: 1, size: 0 },
        Type::Numeric(_, 1, 1) => Extent { align: 4, size: 4 },
        Type::Numeric(_, 1, 2) => Extent { align: 8, size: 8 },
        Type::Numeric(_, 1, rows) => Extent { align: 16, size: u32::from(*rows) * 4 },
        Type::Numeric(_, columns, rows) => {
            Extent { align: 16, size: 16 * u32::from(if row_major { *rows } else { *columns }) }
        }
        Type::Array(of, length) => {
            let step = array_step(of, row_major);
            Extent { align: if step == 0 { 1 } else { 16 }, size: step.saturating_mul(*length) }
        }
        Type::Struct(of) => {
            let types = of.members.iter().map(|(_, ty)| (ty, row_major));
            let (_, end) = offsets(types);
            Extent { align: if end == 0 { 1 } else { 16 }, size: end.next_multiple_of(16) }
        }
    }
}

/// Bytes from one element of an array to the next.
pub(crate) fn array_step(of: &Type, row_major: bool) -> u32 {
    extent(of, row_major).size.next_multiple_of(16)
}

/// Offset of each member in order, and where the last one ends.
pub(crate) fn offsets<'t>(members: impl Iterator<Item = (&'t Type, bool)>) -> (Vec<u32>, u32) {
    let mut end = 0u32;
    let starts = members
        .map(|(ty, row_major)| {
            let extent = extent(ty, row_major);
            let start = end.next_multiple_of(extent.align);
            end = start.saturating_add(extent.size);
            start
        })
        .collect();
    (starts, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn starts(words: &[&str], row_major: bool) -> (Vec<u32>, u32) {
        let types: Vec<Type> = words
            .iter()
            .map(|word| match word.split_once('*') {
                Some((of, length)) => Type::Array(Arc::new(Type::from_keyword(of).unwrap()), length.parse().unwrap()),
                None => Type::from_keyword(word).unwrap(),
            })
            .collect();
        offsets(types.iter().map(|ty| (ty, row_major)))
    }

    #[test]
    fn members_lie_where_the_specification_says() {
        assert_eq!(starts(&["float", "vec2", "vec3", "float", "vec4"], false), (vec![0, 8, 16, 28, 32], 48));
        assert_eq!(starts(&["float*3", "float", "mat2", "bool"], false), (vec![0, 48, 64, 96], 100));
        assert_eq!(starts(&["mat2x3", "float"], false), (vec![0, 32], 36));
        assert_eq!(starts(&["mat2x3", "float"], true), (vec![0, 48], 52));
        assert_eq!(starts(&["vec2*2", "mat3*2", "int"], false), (vec![0, 32, 128], 132));
    }
}
