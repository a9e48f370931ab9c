//! How similar two pictures look: structure of brightness (SSIM), and colour and alpha by their mean error.

use image::RgbaImage;

use super::picture::Picture;

/// 1 for equal pictures, towards 0 the more they differ. Alpha counts like a colour.
pub(super) fn similarity(a: &Picture, b: &Picture) -> Result<f64, String> {
    let (Some(first), Some(second)) = (image(a), image(b)) else { return Err("they are too large".to_owned()) };
    let metric = image_compare::rgba_hybrid_compare(&first, &second).map_err(|error| error.to_string())?;
    // The metric weighs colour by alpha, so that alpha itself would not count: take the worse of the two.
    let pairs = a.rgba().as_chunks::<4>().0.iter().zip(b.rgba().as_chunks::<4>().0);
    let squares: f64 = pairs.map(|([.., a], [.., b])| (f64::from(a.abs_diff(*b)) / 255.0).powi(2)).sum();
    let alpha = 1.0 - (squares / a.size().pixels().max(1) as f64).sqrt();
    Ok(metric.score.min(alpha))
}

fn image(picture: &Picture) -> Option<RgbaImage> {
    RgbaImage::from_raw(picture.size().width_px, picture.size().height_px, picture.rgba().to_vec())
}
