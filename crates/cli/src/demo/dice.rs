//! Chance that comes out the same every time: the demo tells one story, whoever runs it.

/// Throws numbers that follow from a seed alone.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    /// Dice for what these numbers name; the same numbers throw the same.
    pub(super) fn of(names: &[u64]) -> Self {
        let mut dice = Self(0x746f_7563_6873_746f);
        for name in names {
            dice.0 ^= *name;
            dice.throw();
        }
        dice
    }

    /// Dice for what this text names.
    pub(super) fn named(seed: u64, text: &str) -> Self {
        let digest = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self::of(&[seed, digest])
    }

    /// `SplitMix64`: short, and good enough for a story.
    fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = mixed ^ (mixed >> 31);
        self.0
    }

    /// A number from 0 up to, not including, 1.
    pub(super) fn share(&mut self) -> f64 {
        let high = u32::try_from(self.throw() >> 32).unwrap_or_default();
        f64::from(high) / 4_294_967_296.0
    }

    /// True in this share of the throws.
    pub(super) fn happens(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// A number from 0 up to, not including, `sides`.
    pub(super) fn below(&mut self, sides: u32) -> u32 {
        u32::try_from(self.throw() % u64::from(sides.max(1))).unwrap_or_default()
    }

    /// One of these, each as likely as the next.
    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        let sides = u32::try_from(choices.len()).unwrap_or(u32::MAX);
        usize::try_from(self.below(sides)).ok().and_then(|chosen| choices.get(chosen)).copied()
    }

    /// One of these, as likely as its weight beside the others.
    pub(super) fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> Option<T> {
        let mut left = self.below(choices.iter().map(|(weight, _)| weight).sum());
        for (weight, choice) in choices {
            if left < *weight {
                return Some(*choice);
            }
            left -= weight;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_throws_the_same_and_another_does_not() {
        let throws = |seed| -> Vec<u32> {
            let mut dice = Dice::of(&[seed]);
            (0..8).map(|_| dice.below(1_000)).collect()
        };

        assert_eq!(throws(1), throws(1));
        assert_ne!(throws(1), throws(2));
        assert_ne!(Dice::named(1, "a").below(1_000_000), Dice::named(1, "b").below(1_000_000));
    }

    #[test]
    fn shares_and_weights_come_out_as_asked() {
        let mut dice = Dice::of(&[7]);

        let happened = (0..10_000).filter(|_| dice.happens(0.3)).count();
        let heavy = (0..10_000).filter(|_| dice.weighted(&[(3, true), (1, false)]) == Some(true)).count();

        assert!((2_800..3_200).contains(&happened), "{happened}");
        assert!((7_300..7_700).contains(&heavy), "{heavy}");
    }
}
