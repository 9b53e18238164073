//! Bit-exactness of the assignment.

use proptest::prelude::*;

use super::*;

fn org(name: &str) -> OrgId {
    OrgId::new(name).unwrap()
}

fn experiment(name: &str) -> ExperimentId {
    ExperimentId::new(name).unwrap()
}

fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

#[test]
#[expect(clippy::float_cmp, reason = "the assignment is exact to the bit")]
fn the_published_vectors_hold_to_the_bit() {
    let vectors = [
        ("org-1", "user-0", 0.307_242_352_199_495_47),
        ("org-1", "user-1", 0.926_158_251_359_158_5),
        ("org-2", "user-1", 0.180_306_116_689_286_2),
        ("org-1", "ユーザー", 0.180_224_583_925_824_97),
    ];

    for (organization, name, expected) in vectors {
        assert_eq!(fraction(&org(organization), &experiment("exp-1"), &user(name)), expected, "{name}");
    }
}

#[test]
fn ten_percent_of_a_hundred_thousand_users_are_exactly_10023() {
    let ten = HoldoutPercentage::new(10.0).unwrap();

    let held_out = (0..100_000)
        .filter(|i| {
            assign(&org("org-1"), &experiment("exp-1"), &user(&format!("user-{i}")), ten) == Arm::Holdout
        })
        .count();

    assert_eq!(held_out, 10_023);
}

#[test]
fn a_user_exactly_on_the_boundary_is_treated() {
    let exact = fraction(&org("org-1"), &experiment("exp-1"), &user("user-0"));
    let mut percent = exact * 100.0;
    while percent / 100.0 > exact {
        percent = percent.next_down();
    }
    let on_boundary = HoldoutPercentage::new(percent).unwrap();

    let arm = assign(&org("org-1"), &experiment("exp-1"), &user("user-0"), on_boundary);

    assert!(on_boundary.fraction() <= exact);
    assert_eq!(arm, Arm::Treatment);
}

#[test]
#[expect(clippy::float_cmp, reason = "rounding is exact or it is wrong")]
fn halves_round_to_the_even_neighbour() {
    let half = 1_u128 << 127;
    let ulp = 1_u128 << 75;
    let tie = 1_u128 << 74;

    assert_eq!(normalized_fraction(half, 0), 0.5);
    assert_eq!(normalized_fraction(half + tie, 0), 0.5);
    assert_eq!(normalized_fraction(half + tie, 1), 0.5_f64.next_up());
    assert_eq!(normalized_fraction(half + ulp + tie, 0), 0.5_f64.next_up().next_up());
    assert_eq!(normalized_fraction(half + ulp, 0), 0.5_f64.next_up());
}

#[test]
#[expect(clippy::float_cmp, reason = "rounding is exact or it is wrong")]
fn the_ends_of_the_range_are_right() {
    assert_eq!(unit_fraction([0; 32]), 0.0);
    assert_eq!(unit_fraction([0xff; 32]), 1.0);
    assert_eq!(normalized_fraction(0, 1), 2.0_f64.powi(-256));
    assert_eq!(normalized_fraction(1, 0), 2.0_f64.powi(-128));
    assert_eq!(normalized_fraction(0, 3), 3.0 * 2.0_f64.powi(-256));
}

#[test]
fn an_arm_is_known_by_its_name_only() {
    for arm in [Arm::Treatment, Arm::Holdout] {
        assert_eq!(Arm::parse(arm.as_str()), Some(arm));
    }
    assert_eq!(Arm::parse("Holdout"), None);
}

proptest! {
    #[test]
    fn a_digest_of_at_most_53_bits_is_exact(bits in 0_u64..(1 << 53), zeros in 0_u32..150) {
        let top = u128::from(bits) << 75;
        let (high, low) = match zeros {
            0 => (top, 0),
            1..128 => (top >> zeros, top << (128 - zeros)),
            _ => (0, top >> (zeros - 128)),
        };

        let exact = bits.to_string().parse::<f64>().unwrap() * 0.5_f64.powi(53 + i32::try_from(zeros).unwrap());

        prop_assert_eq!(normalized_fraction(high, low).to_bits(), exact.to_bits());
    }

    #[test]
    fn a_larger_digest_never_gives_a_smaller_fraction(a in any::<[u8; 32]>(), b in any::<[u8; 32]>()) {
        let [low, high] = if a <= b { [a, b] } else { [b, a] };

        prop_assert!(unit_fraction(low) <= unit_fraction(high));
    }

    #[test]
    fn the_last_128_bits_move_a_fraction_by_less_than_the_128th(high in 1_u128..u128::MAX, low in any::<u128>()) {
        let rounded = normalized_fraction(high, low);

        prop_assert!(normalized_fraction(high, 0) <= rounded && rounded <= normalized_fraction(high + 1, 0));
    }
}
