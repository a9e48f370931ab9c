//! Results that each instruction of SM4 and SM5 makes of its operands, by Direct3D's written rules, on the CPU.
//!
//! Floats are of 32 bits: denormals count as zeros of their sign where numbers are computed or compared, and stay as they
//! are where bits are moved. A product and a sum are rounded each.

type Words = [u32; 4];

/// The results of an instruction that computes; nothing for one that does something else.
pub fn evaluate(name: &str, saturate: bool, operands: &[Words]) -> Option<Vec<Words>> {
    let results = floats(name, operands).or_else(|| moves(name, operands)).map(|results| match saturate {
        true => results.into_iter().map(|words| words.map(saturated)).collect(),
        false => results,
    });
    results
        .or_else(|| comparisons(name, operands))
        .or_else(|| integers(name, operands))
        .or_else(|| bits(name, operands))
}

/// A number as arithmetic takes it, and gives it.
fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

fn float(word: u32) -> f32 {
    flushed(f32::from_bits(word))
}

fn saturated(word: u32) -> u32 {
    let value = float(word);
    // What is no number is not above 0 either.
    let value = if value > 0.0 { value.min(1.0) } else { 0.0 };
    value.to_bits()
}

fn one(words: &Words, of: impl Fn(u32) -> u32) -> Words {
    words.map(of)
}

fn two(operands: &[Words], of: impl Fn(u32, u32) -> u32) -> Words {
    std::array::from_fn(|lane| of(operands[0][lane], operands[1][lane]))
}

fn three(operands: &[Words], of: impl Fn(u32, u32, u32) -> u32) -> Words {
    std::array::from_fn(|lane| of(operands[0][lane], operands[1][lane], operands[2][lane]))
}

fn floats(name: &str, operands: &[Words]) -> Option<Vec<Words>> {
    let unary = |of: fn(f32) -> f32| one(&operands[0], |word| flushed(of(float(word))).to_bits());
    let binary = |of: fn(f32, f32) -> f32| two(operands, |a, b| flushed(of(float(a), float(b))).to_bits());
    Some(vec![match name {
        "add" => binary(|a, b| a + b),
        "mul" => binary(|a, b| a * b),
        "div" => binary(|a, b| a / b),
        // Of a number and what is none, the number.
        "min" => binary(|a, b| if b.is_nan() || a < b { a } else { b }),
        "max" => binary(|a, b| if b.is_nan() || a >= b { a } else { b }),
        "mad" => three(operands, |a, b, c| flushed(flushed(float(a) * float(b)) + float(c)).to_bits()),
        "dp2" => dot(operands, 2),
        "dp3" => dot(operands, 3),
        "dp4" => dot(operands, 4),
        "dp2 of terms" => dot(&operands.iter().map(magnitudes).collect::<Vec<_>>(), 2),
        "dp3 of terms" => dot(&operands.iter().map(magnitudes).collect::<Vec<_>>(), 3),
        "dp4 of terms" => dot(&operands.iter().map(magnitudes).collect::<Vec<_>>(), 4),
        "rcp" => unary(|value| 1.0 / value),
        "sqrt" => unary(f32::sqrt),
        "rsq" => unary(|value| 1.0 / value.sqrt()),
        "exp" => unary(f32::exp2),
        "log" => unary(f32::log2),
        "frc" => unary(|value| value - value.floor()),
        "round_ne" => unary(f32::round_ties_even),
        "round_ni" => unary(f32::floor),
        "round_pi" => unary(f32::ceil),
        "round_z" => unary(f32::trunc),
        "itof" => one(&operands[0], |word| (word as i32 as f32).to_bits()),
        "utof" => one(&operands[0], |word| (word as f32).to_bits()),
        "f16tof32" => one(&operands[0], |word| half::f16::from_bits(word as u16).to_f32().to_bits()),
        "sincos" => {
            let sine = unary(f32::sin);
            return Some(vec![sine, unary(f32::cos)]);
        }
        _ => return None,
    }])
}

fn magnitudes(words: &Words) -> Words {
    words.map(|word| word & 0x7fff_ffff)
}

fn dot(operands: &[Words], count: usize) -> Words {
    let products = (0..count).map(|lane| f64::from(float(operands[0][lane])) * f64::from(float(operands[1][lane])));
    [flushed(products.sum::<f64>() as f32).to_bits(); 4]
}

/// Results of instructions that choose words and leave them as they are.
fn moves(name: &str, operands: &[Words]) -> Option<Vec<Words>> {
    Some(match name {
        "mov" => vec![operands[0]],
        "movc" => vec![three(operands, |condition, a, b| if condition != 0 { a } else { b })],
        "swapc" => vec![
            three(operands, |condition, a, b| if condition != 0 { b } else { a }),
            three(operands, |condition, a, b| if condition != 0 { a } else { b }),
        ],
        _ => return None,
    })
}

fn comparisons(name: &str, operands: &[Words]) -> Option<Vec<Words>> {
    let truth = |holds: bool| if holds { u32::MAX } else { 0 };
    let of_floats = |of: fn(&f32, &f32) -> bool| two(operands, |a, b| truth(of(&float(a), &float(b))));
    let signed = |of: fn(&i32, &i32) -> bool| two(operands, |a, b| truth(of(&(a as i32), &(b as i32))));
    let unsigned = |of: fn(&u32, &u32) -> bool| two(operands, |a, b| truth(of(&a, &b)));
    Some(vec![match name {
        "eq" => of_floats(f32::eq),
        "ne" => of_floats(f32::ne),
        "lt" => of_floats(f32::lt),
        "ge" => of_floats(f32::ge),
        "ieq" => signed(i32::eq),
        "ine" => signed(i32::ne),
        "ilt" => signed(i32::lt),
        "ige" => signed(i32::ge),
        "ult" => unsigned(u32::lt),
        "uge" => unsigned(u32::ge),
        _ => return None,
    }])
}

fn integers(name: &str, operands: &[Words]) -> Option<Vec<Words>> {
    let wide = |a: u32, b: u32, is_signed: bool| match is_signed {
        true => (i64::from(a as i32) * i64::from(b as i32)) as u64,
        false => u64::from(a) * u64::from(b),
    };
    Some(match name {
        "iadd" => vec![two(operands, u32::wrapping_add)],
        "ineg" => vec![one(&operands[0], u32::wrapping_neg)],
        "imin" => vec![two(operands, |a, b| (a as i32).min(b as i32) as u32)],
        "imax" => vec![two(operands, |a, b| (a as i32).max(b as i32) as u32)],
        "umin" => vec![two(operands, u32::min)],
        "umax" => vec![two(operands, u32::max)],
        "imad" | "umad" => vec![three(operands, |a, b, c| a.wrapping_mul(b).wrapping_add(c))],
        "imul" | "umul" => {
            let is_signed = name == "imul";
            let high = two(operands, |a, b| (wide(a, b, is_signed) >> 32) as u32);
            vec![high, two(operands, u32::wrapping_mul)]
        }
        "udiv" => vec![
            two(operands, |a, b| a.checked_div(b).unwrap_or(u32::MAX)),
            two(operands, |a, b| a.checked_rem(b).unwrap_or(u32::MAX)),
        ],
        "uaddc" => vec![two(operands, u32::wrapping_add), two(operands, |a, b| u32::from(a.checked_add(b).is_none()))],
        "usubb" => vec![two(operands, u32::wrapping_sub), two(operands, |a, b| u32::from(a < b))],
        "ftoi" => vec![one(&operands[0], |word| float(word) as i32 as u32)],
        "ftou" => vec![one(&operands[0], |word| float(word) as u32)],
        _ => return None,
    })
}

fn bits(name: &str, operands: &[Words]) -> Option<Vec<Words>> {
    Some(vec![match name {
        "and" => two(operands, |a, b| a & b),
        "or" => two(operands, |a, b| a | b),
        "xor" => two(operands, |a, b| a ^ b),
        "not" => one(&operands[0], |word| !word),
        "ishl" => two(operands, |a, b| a << (b & 31)),
        "ushr" => two(operands, |a, b| a >> (b & 31)),
        "ishr" => two(operands, |a, b| (a as i32 >> (b & 31)) as u32),
        "countbits" => one(&operands[0], u32::count_ones),
        "bfrev" => one(&operands[0], u32::reverse_bits),
        "firstbit_hi" => one(&operands[0], |word| if word == 0 { u32::MAX } else { word.leading_zeros() }),
        "firstbit_lo" => one(&operands[0], |word| if word == 0 { u32::MAX } else { word.trailing_zeros() }),
        "firstbit_shi" => one(&operands[0], |word| {
            let different = if (word as i32) < 0 { !word } else { word };
            if different == 0 { u32::MAX } else { different.leading_zeros() }
        }),
        "ubfe" => three(operands, |width, offset, from| {
            let (width, offset) = (width & 31, offset & 31);
            (from >> offset) & low_bits(width)
        }),
        "ibfe" => three(operands, |width, offset, from| {
            let (width, offset) = (width & 31, offset & 31);
            match width {
                0 => 0,
                _ if width + offset < 32 => ((from << (32 - width - offset)) as i32 >> (32 - width)) as u32,
                _ => (from as i32 >> offset) as u32,
            }
        }),
        "bfi" => std::array::from_fn(|lane| {
            let [width, offset, from, into] = [0, 1, 2, 3].map(|operand: usize| operands[operand][lane]);
            let (width, offset) = (width & 31, offset & 31);
            let mask = low_bits(width) << offset;
            (from << offset) & mask | into & !mask
        }),
        "f32tof16" => one(&operands[0], |word| u32::from(half::f16::from_f32(f32::from_bits(word)).to_bits())),
        _ => return None,
    }])
}

fn low_bits(count: u32) -> u32 {
    (1 << count) - 1
}
