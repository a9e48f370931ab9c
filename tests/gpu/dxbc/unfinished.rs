//! Cases that don't agree yet, each with the reason. One that agrees is an error, so that the list only shrinks.

use crate::support::software::Backend;

/// A case's name, or the beginning of several with `*` behind; the backend, where it is one; and why.
pub struct Unfinished(&'static str, Option<Backend>, pub &'static str);

pub const UNFINISHED: &[Unfinished] = &[
    Unfinished("sm11_ps_texcoord", None, TEXCOORD),
    Unfinished("sm4_io_depth_out_of_range", Some(Backend::Gl), "GL's depth can't be read back"),
    Unfinished("sm5_tex_two_samplers", Some(Backend::Gl), "GL has one sampler a texture, and says so"),
];

/// Unfinished cases that are played as traces.
pub const UNFINISHED_TRACES: &[Unfinished] = &[Unfinished("sm11_ps_texcoord", None, TEXCOORD)];

/// vkd3d 2.1 hands on the coordinate's fourth lane.
const TEXCOORD: &str = "the alpha of texcoord in ps_1_1 to ps_1_3 is 1 on devices, whatever the judge says";

/// Why a case doesn't agree on a backend, if that is known.
pub fn reason(name: &str, backend: Backend, list: &[Unfinished]) -> Option<&'static str> {
    let is_named = |pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    };
    let found = list.iter().find(|Unfinished(pattern, of, _)| is_named(pattern) && of.is_none_or(|of| of == backend));
    found.map(|Unfinished(.., reason)| *reason)
}
