//! The scale factor of windows on X11 that the environment asks for. winit panics on a value that it cannot use.

use std::env;

use super::WindowError;

const NAME: &str = "WINIT_X11_SCALE_FACTOR";

/// Refuses a value of the environment that winit would panic on, where it would read it.
pub(super) fn check() -> Result<(), WindowError> {
    // On Wayland nothing reads it.
    let is_wayland =
        ["WAYLAND_DISPLAY", "WAYLAND_SOCKET"].iter().any(|name| env::var_os(name).is_some_and(|v| !v.is_empty()));
    // winit takes a value that is no Unicode for none.
    match env::var(NAME) {
        Ok(value) if !is_wayland && !is_usable(&value) => {
            Err(WindowError::Environment { name: NAME, value, expected: "a number greater than 0, or randr" })
        }
        _ => Ok(()),
    }
}

fn is_usable(value: &str) -> bool {
    let is_factor = |factor: f64| factor.is_normal() && factor > 0.0;
    value.is_empty() || value.eq_ignore_ascii_case("randr") || value.parse().is_ok_and(is_factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_positive_numbers() {
        assert!(["", "1", "1.5", "0.25", "3e0", "randr", "RandR"].into_iter().all(is_usable));
        let unusable = ["nonsense", "0", "-1", "-0", "nan", "inf", "1e-320", "1,5", " 2", "randr "];
        assert!(!unusable.into_iter().any(is_usable));
    }
}
