//! How a time grows with a size.

/// The power of the size with which the time grows, beyond what the smallest takes: the slope of the
/// line through the upper half of the points, in logarithms.
pub fn exponent(curve: &[(f64, f64)]) -> f64 {
    let base = curve.first().map_or(0.0, |(_, time)| *time);
    let points: Vec<(f64, f64)> = curve[curve.len() / 2..]
        .iter()
        .map(|(size, time)| (size.ln(), (time - base).max(1.0).ln()))
        .collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let (up, along) = points.iter().fold((0.0, 0.0), |(up, along), p| {
        (up + (p.0 - x) * (p.1 - y), along + (p.0 - x) * (p.0 - x))
    });
    up / along
}
