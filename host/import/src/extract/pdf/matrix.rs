//! Where something stands on the paper.

use hayro_syntax::object::Number;

/// Moves, turns and stretches places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix([f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn of(numbers: [Number; 6]) -> Self {
        Self(numbers.map(|number| number.as_f64()))
    }

    pub(super) fn moved(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// First this one, then the other.
    pub(super) fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, other.0);
        Self([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    /// Where the pen stands.
    pub(super) fn origin(self) -> (f64, f64) {
        (self.0[4], self.0[5])
    }

    /// A step along the line.
    pub(super) fn step(self, length: f64) -> (f64, f64) {
        (self.0[0] * length, self.0[1] * length)
    }

    /// How high something of height 1 is.
    pub(super) fn height(self) -> f64 {
        self.0[2].hypot(self.0[3])
    }
}
