//! What partners' evaluations said of the sessions.

use evaluation::{PartnerScore, ScoreIdentity, ScoreSubject, ScoreValue};
use kernel::Label;

use super::dice::Dice;
use super::scene::Scene;

/// The scores of a scene: a survey that one in three answers, and two scorers that sample.
pub(super) fn scores_of(scene: &Scene) -> anyhow::Result<Vec<PartnerScore>> {
    let mut dice = Dice::of(&[scene.seed, 5]);
    let is_settled = scene.is_settled();
    let (stars, groundedness, tone) = if is_settled { ((30, 55), 0.86, 0.9) } else { ((5, 15), 0.61, 0.84) };
    let mut scores = Vec::new();
    if dice.happens(0.33) {
        let stars = dice.weighted(&[(stars.1, 5.0), (stars.0, 4.0), (20, 3.0), (12, 2.0), (8, 1.0)]);
        scores.push(score(scene, "customer-survey", stars.unwrap_or(3.0))?);
    }
    if dice.happens(0.5) {
        scores.push(score(scene, "groundedness", rounded(groundedness + dice.share() * 0.12))?);
    }
    if dice.happens(0.4) {
        scores.push(score(scene, "tone", rounded(tone + dice.share() * 0.1))?);
    }
    Ok(scores)
}

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

fn score(scene: &Scene, scorer: &str, value: f64) -> anyhow::Result<PartnerScore> {
    Ok(PartnerScore {
        identity: ScoreIdentity {
            source_run_id: Label::new(&format!("demo-{}", scene.session))?,
            scorer_name: Label::new(scorer)?,
        },
        value: ScoreValue::new(value)?,
        at: scene.at.plus_seconds(1_500),
        subject: ScoreSubject::new(Some(scene.user.clone()), Some(scene.session.clone()))?,
    })
}
