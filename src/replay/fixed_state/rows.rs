//! A resolved state as names and values, for people and for JSON.

use super::resolved::{DepthBias, DynamicState, FixedState, FloatBits, StencilFace};
use super::sampler::Sampler;
use crate::command::channel_letters;

const OFF: &str = "off";

fn on_or_off(is_on: bool) -> String {
    if is_on { "on" } else { OFF }.to_owned()
}

fn face(of: StencilFace) -> String {
    format!("{}, fail {}, depth fail {}, pass {}", of.comparison, of.fail, of.depth_fail, of.pass)
}

fn floats(of: &[FloatBits]) -> String {
    of.iter().map(|float| float.get().to_string()).collect::<Vec<_>>().join(", ")
}

fn bytes(of: &[u8]) -> String {
    of.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

impl FixedState {
    /// Each part by name, with its value in words: what is off is one row.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = self.blend_rows();
        rows.extend(self.depth_stencil_rows());
        rows.extend(self.raster_rows());
        rows.extend(self.legacy_rows());
        rows
    }

    fn blend_rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![("blend", on_or_off(self.blend.is_some()))];
        if let Some(blend) = self.blend {
            rows.extend([("blend_color", blend.color.in_words()), ("blend_alpha", blend.alpha.in_words())]);
        }
        let masks: Vec<String> = self.color_write_masks.iter().map(|mask| channel_letters(*mask)).collect();
        rows.extend([("color_write_masks", masks.join(", ")), ("sample_mask", format!("{:#010x}", self.sample_mask))]);
        rows
    }

    fn depth_stencil_rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![("depth_test", self.depth.map_or(OFF.to_owned(), |test| test.comparison.to_string()))];
        rows.extend(self.depth.map(|test| ("depth_write", on_or_off(test.writes))));
        rows.push(("stencil_test", on_or_off(self.stencil.is_some())));
        if let Some(stencil) = self.stencil {
            rows.extend([
                ("stencil_front", face(stencil.front)),
                ("stencil_back", face(stencil.back)),
                ("stencil_read_mask", format!("{:#04x}", stencil.read_mask)),
                ("stencil_write_mask", format!("{:#04x}", stencil.write_mask)),
            ]);
        }
        rows
    }

    fn raster_rows(&self) -> Vec<(&'static str, String)> {
        let raster = self.raster;
        let bias = match raster.depth_bias {
            DepthBias::Steps(steps) => format!("{steps} steps"),
            DepthBias::OfRange(bias) => bias.get().to_string(),
        };
        vec![
            ("fill", raster.fill.to_string()),
            ("cull", raster.cull.to_string()),
            ("front", raster.front.to_string()),
            ("scissor", on_or_off(raster.is_scissor_enabled)),
            ("depth_outside", raster.depth_range.to_string()),
            ("depth_bias", bias),
            ("slope_depth_bias", raster.slope_depth_bias.get().to_string()),
        ]
    }

    fn legacy_rows(&self) -> Vec<(&'static str, String)> {
        let legacy = self.legacy;
        let mut rows = vec![
            ("alpha_test", legacy.alpha_test.map_or(OFF.to_owned(), |comparison| comparison.to_string())),
            ("fog", on_or_off(legacy.fog.is_some())),
        ];
        if let Some(fog) = legacy.fog {
            rows.extend([
                ("fog_table", fog.table.to_string()),
                ("fog_vertex", fog.vertex.to_string()),
                ("fog_by_range", on_or_off(fog.is_by_range)),
            ]);
        }
        rows.extend([
            ("srgb_write", on_or_off(legacy.writes_srgb)),
            ("shading", legacy.shading.to_string()),
            ("point_sprites", on_or_off(legacy.points.are_sprites)),
        ]);
        rows
    }
}

impl DynamicState {
    /// Each number by name, with its value, but for those of what is off in `fixed`.
    pub fn rows(&self, fixed: &FixedState) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        rows.extend(fixed.blend.map(|_| ("blend_constant", floats(&self.blend_constant))));
        rows.extend(fixed.stencil.map(|_| ("stencil_reference", self.stencil_reference.to_string())));
        rows.extend(fixed.legacy.alpha_test.map(|_| ("alpha_reference", self.alpha_reference.to_string())));
        if fixed.legacy.fog.is_some() {
            rows.extend([
                ("fog_color", bytes(&self.fog.color)),
                ("fog_start", self.fog.start.get().to_string()),
                ("fog_end", self.fog.end.get().to_string()),
                ("fog_density", self.fog.density.get().to_string()),
            ]);
        }
        rows.extend([
            ("point_size_px", self.points.size_px.get().to_string()),
            ("point_smallest_px", self.points.smallest_px.get().to_string()),
            ("point_largest_px", self.points.largest_px.get().to_string()),
        ]);
        rows
    }
}

impl Sampler {
    /// Each part by name, with its value in words.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let [u, v, w] = self.address;
        vec![
            ("address_u", u.to_string()),
            ("address_v", v.to_string()),
            ("address_w", w.to_string()),
            ("min", self.min.to_string()),
            ("mag", self.mag.to_string()),
            ("mip", self.mip.map_or("NONE".to_owned(), |filter| filter.to_string())),
            ("largest_mip", self.largest_mip.to_string()),
            ("lod_bias", self.lod_bias.get().to_string()),
            ("anisotropy", self.anisotropy.to_string()),
            ("border_color", bytes(&self.border_color)),
            ("srgb", on_or_off(self.decodes_srgb)),
        ]
    }
}
