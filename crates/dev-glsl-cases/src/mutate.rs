//! Texts that were changed by chance, word by word: most are refused, and the rest mean something.

use super::cases::Case;

/// A small generator of its own, so that a seed means the same everywhere.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Words that are put in; names of the text itself are put in as often.
const WORDS: &str = "const in out inout uniform flat smooth centroid invariant highp mediump lowp precision layout struct \
    void float int uint bool vec2 vec3 vec4 ivec2 ivec3 uvec4 bvec2 mat2 mat3 mat4 mat2x3 sampler2D samplerCube isampler2D \
    sampler2DShadow sampler3D if else for while do switch case default break continue return discard true false 0 1 2 3 1u \
    1.0 0.5 main gl_Position gl_FragCoord gl_VertexID gl_FragDepth gl_FragColor texture sin dot mix length max floor ( ) { } \
    [ ] ; , . ? : = == != < > <= >= + - * / % & | ^ ~ ! && || ^^ << >> ++ -- += -= *= /= %= &= |= ^= <<= >>= xy rgba [2] [] \
    (1) .x .length() buffer varying attribute std140 location binding #if #endif #define";

/// The words, numbers, signs and spaces of a text, in order; together they are the text.
fn words(text: &str) -> Vec<String> {
    const SIGNS: [&str; 21] = [
        "<<=", ">>=", "&&", "||", "^^", "==", "!=", "<=", ">=", "++", "--", "<<", ">>", "+=", "-=", "*=", "/=", "%=",
        "&=", "|=", "^=",
    ];
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let run = |belongs: &dyn Fn(char) -> bool| rest.find(|character| !belongs(character)).unwrap_or(rest.len());
        let length = match first {
            '#' => run(&|character| character != '\n'),
            _ if first.is_whitespace() => run(&char::is_whitespace),
            _ if first.is_ascii_digit() => run(&|character| is_part(character) || character == '.'),
            _ if is_part(first) => run(&is_part),
            _ => SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len()),
        };
        let (word, after) = rest.split_at(length);
        found.push(word.to_owned());
        rest = after;
    }
    found
}

fn changed(text: &str, chance: &mut Chance) -> String {
    let mut parts = words(text);
    let is_name = |word: &String| word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let names: Vec<String> = parts.iter().filter(|word| is_name(word)).cloned().collect();
    let put_in: Vec<&str> = WORDS.split_whitespace().collect();
    let may_change = |word: &String| !word.trim().is_empty() && !word.starts_with("#version");
    let places: Vec<usize> = (0..parts.len()).filter(|at| may_change(&parts[*at])).collect();
    if places.is_empty() || names.is_empty() {
        return text.to_owned();
    }
    for _ in 0..1 + chance.below(5) / 4 {
        let (at, other) = (places[chance.below(places.len())], places[chance.below(places.len())]);
        let new = match chance.below(5) {
            0 | 1 => names[chance.below(names.len())].clone(),
            _ => put_in[chance.below(put_in.len())].to_owned(),
        };
        match chance.below(6) {
            0 => parts[at].clear(),
            1 => parts[at] = format!(" {new} "),
            2 => parts[at].push_str(&format!(" {new} ")),
            3 => parts[at] = format!("{0} {0}", parts[at]),
            4 => parts.swap(at, other),
            _ => parts[at] = parts[other].clone(),
        }
    }
    parts.concat()
}

/// One of the cases with a word or two changed in one of its texts.
pub fn mutated(cases: &[Case], chance: &mut Chance) -> Case {
    let case = &cases[chance.below(cases.len())];
    let (mut vertex, mut fragment) = (case.vertex.clone(), case.fragment.clone());
    match chance.below(3) {
        0 => vertex = changed(&vertex, chance),
        _ => fragment = changed(&fragment, chance),
    }
    Case { name: case.name.clone(), vertex, fragment }
}
