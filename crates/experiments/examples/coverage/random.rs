//! A small deterministic generator (xoshiro256++, seeded by splitmix64) and the distributions drawn from it.

/// A stream of random numbers, the same for the same seed.
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of this seed.
    pub(crate) fn seeded(seed: u64) -> Self {
        let mut counter = seed;
        let state = std::array::from_fn(|_| {
            counter = counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (counter ^ (counter >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        });
        Self { state }
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let drawn = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let [c, d] = [c ^ a, d ^ b];
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        drawn
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        f64::from_bits((self.next() >> 12) | 0x3FF0_0000_0000_0000) - 1.0
    }

    /// Normal with mean 0 and variance 1 (polar method; the second value is let go).
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let [x, y] = [2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0];
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }

    /// Gamma of this shape and scale 1 (Marsaglia and Tsang; small shapes by a power of a uniform).
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let boost = (1.0 - self.uniform()).powf(1.0 / shape);
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.uniform()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// Beta of this mean, whose variance is `correlation` times that of a coin of the mean.
    pub(crate) fn beta(&mut self, mean: f64, correlation: f64) -> f64 {
        let weight = 1.0 / correlation - 1.0;
        let [yes, no] = [self.gamma(mean * weight), self.gamma((1.0 - mean) * weight)];
        // Both can underflow to 0 at tiny shapes; the user is then one who always or never succeeds.
        if yes + no > 0.0 { yes / (yes + no) } else { f64::from(u8::from(self.uniform() < mean)) }
    }
}
