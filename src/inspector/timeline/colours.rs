//! Colours: calm, one per name, readable in the dark and in the light.

use egui::{Color32, Visuals};

use super::budget::Kept;

/// What the panel paints with.
#[derive(Clone, Debug)]
pub(super) struct Colours {
    is_dark: bool,
    /// By tint.
    names: Vec<Color32>,
    /// The same for several events at once.
    merged: Vec<Color32>,
    /// Behind everything.
    pub ground: Color32,
    /// Behind names and rulers.
    pub margin: Color32,
    /// Lane headings.
    pub heading: Color32,
    pub text: Color32,
    pub faint_text: Color32,
    pub line: Color32,
    pub frame_line: Color32,
    /// Where the player stands.
    pub playhead: Color32,
    pub mark: Color32,
    pub selection: Color32,
    pub badge: Color32,
    pub outline: Color32,
    pub flow: Color32,
    pub graph: Color32,
}

impl Colours {
    pub(crate) fn of(visuals: &Visuals) -> Self {
        let mut colours = Self::without_names(visuals);
        colours.names = (0..=u8::MAX).map(|tint| colours.name(tint)).collect();
        colours.merged = colours.names.iter().map(|name| mix(*name, colours.faint_text, 0.35)).collect();
        colours
    }

    fn without_names(visuals: &Visuals) -> Self {
        let rgb = Color32::from_rgb;
        let (names, merged) = (Vec::new(), Vec::new());
        if visuals.dark_mode {
            Self {
                is_dark: true,
                names,
                merged,
                ground: rgb(24, 26, 30),
                margin: rgb(31, 34, 39),
                heading: rgb(40, 44, 51),
                text: rgb(221, 224, 229),
                faint_text: rgb(139, 147, 158),
                line: rgb(48, 52, 60),
                frame_line: Color32::from_rgba_unmultiplied(190, 200, 220, 46),
                playhead: rgb(255, 176, 84),
                mark: rgb(126, 200, 227),
                selection: Color32::from_rgba_unmultiplied(126, 170, 227, 40),
                badge: rgb(196, 98, 84),
                outline: rgb(255, 255, 255),
                flow: Color32::from_rgba_unmultiplied(235, 205, 130, 150),
                graph: rgb(104, 158, 178),
            }
        } else {
            Self {
                is_dark: false,
                names,
                merged,
                ground: rgb(252, 252, 253),
                margin: rgb(242, 243, 246),
                heading: rgb(228, 231, 237),
                text: rgb(32, 36, 43),
                faint_text: rgb(92, 99, 110),
                line: rgb(218, 221, 227),
                frame_line: Color32::from_rgba_unmultiplied(40, 60, 100, 60),
                playhead: rgb(206, 108, 0),
                mark: rgb(0, 112, 158),
                selection: Color32::from_rgba_unmultiplied(40, 110, 200, 36),
                badge: rgb(184, 66, 48),
                outline: rgb(16, 18, 22),
                flow: Color32::from_rgba_unmultiplied(140, 96, 0, 150),
                graph: rgb(70, 132, 156),
            }
        }
    }

    /// The colour of a name.
    pub(crate) fn of_tint(&self, tint: u8) -> Color32 {
        self.names.get(usize::from(tint)).copied().unwrap_or(self.faint_text)
    }

    fn name(&self, tint: u8) -> Color32 {
        let hue = f32::from(tint & 31) / 32.0;
        let shade = f32::from(tint >> 5) / 7.0;
        if self.is_dark {
            from_hsl(hue, 0.26 + 0.08 * shade, 0.305 + 0.08 * shade)
        } else {
            from_hsl(hue, 0.42 + 0.12 * shade, 0.76 + 0.06 * shade)
        }
    }

    /// Several events at once: paler the less they fill, and never as strong as one.
    pub(crate) fn of_many(&self, tint: u8, busy: f32) -> Color32 {
        let strength = 0.22 + 0.43 * busy.clamp(0.0, 1.0);
        let merged = self.merged.get(usize::from(tint)).copied().unwrap_or(self.faint_text);
        mix(self.ground, merged, strength)
    }

    /// The colour of frames that keep to their budget like this.
    pub(crate) fn of_budget(&self, kept: Kept) -> Color32 {
        let rgb = Color32::from_rgb;
        match (kept, self.is_dark) {
            (Kept::Within, true) => rgb(64, 118, 82),
            (Kept::Beyond, true) => rgb(150, 116, 40),
            (Kept::FarBeyond, true) => rgb(168, 70, 58),
            (Kept::Within, false) => rgb(150, 208, 164),
            (Kept::Beyond, false) => rgb(232, 192, 104),
            (Kept::FarBeyond, false) => rgb(236, 138, 122),
        }
    }

    /// Text upon a colour of this palette.
    pub(crate) fn label(&self) -> Color32 {
        if self.is_dark { Color32::from_rgb(240, 242, 245) } else { Color32::from_rgb(26, 29, 34) }
    }

    /// Something that is not looked for.
    pub(crate) fn dimmed(&self, colour: Color32) -> Color32 {
        mix(self.ground, colour, 0.28)
    }
}

/// `share` of `b` upon `a`.
pub(super) fn mix(a: Color32, b: Color32, share: f32) -> Color32 {
    let share = (share * 256.0) as i32;
    let one = |a: u8, b: u8| (i32::from(a) + (((i32::from(b) - i32::from(a)) * share + 128) >> 8)) as u8;
    Color32::from_rgba_premultiplied(one(a.r(), b.r()), one(a.g(), b.g()), one(a.b(), b.b()), one(a.a(), b.a()))
}

fn from_hsl(hue: f32, saturation: f32, lightness: f32) -> Color32 {
    let chroma = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f32| {
        let k = (offset + hue * 12.0) % 12.0;
        let value = lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    Color32::from_rgb(channel(0.0), channel(8.0), channel(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: Color32) -> f32 {
        let linear = |value: u8| (f32::from(value) / 255.0).powf(2.2);
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    }

    #[test]
    fn labels_are_readable_on_every_colour() {
        for visuals in [Visuals::dark(), Visuals::light()] {
            let colours = Colours::of(&visuals);
            for tint in 0..=255 {
                let (a, b) = (luminance(colours.of_tint(tint)), luminance(colours.label()));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast > 3.5, "{tint}: {contrast}");
            }
            for kept in [Kept::Within, Kept::Beyond, Kept::FarBeyond] {
                let (a, b) = (luminance(colours.of_budget(kept)), luminance(colours.label()));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast > 3.5, "{kept:?}: {contrast}");
            }
        }
    }
}
