import { describe, expect, it } from 'vitest';
import type { ArmMetrics, ExperimentResults, HeroBlock } from '../../src/api/types';
import { armInWords, correctionsInWords, decision, headline, shadowInWords, slotInWords, trendInWords } from '../../src/format/sentences';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const hero = (state: HeroBlock['state']): HeroBlock => ({
  state,
  regular_success_rate_pp: state === 'empty' ? 0 : 71.2,
  shadow_success_rate_pp: null,
  delta_pp: null,
  buckets: [],
  ci95: state === 'empty' ? null : [67, 75],
});

describe('the headline', () => {
  it('says rate, margin, change, n and judge', () => {
    const delta = { value: 1, ci: [-2, 4] as [number, number], direction: 'unclear' as const };
    expect(plain(headline(hero('full'), 412, delta, 'v1.1.0'))).toBe(
      'Success 71 % ± 4, no clear change against the previous 7 days, 412 sessions, judge v1.1.0.',
    );
  });
  it('shows no rate when nothing was judged', () => {
    const text = headline(hero('empty'), 0, { value: null, ci: null, direction: 'no_baseline' }, null);
    expect(text).toBe('No session was judged in this window.');
    expect(text).not.toContain('%');
  });
});

describe('chart summaries', () => {
  it('names gaps', () => {
    const text = plain(
      trendInWords([
        { ts: 0, rate: 0.5, ci: null, n: 4 },
        { ts: 1, rate: null, ci: null, n: 0 },
        { ts: 2, rate: 0.75, ci: null, n: 8 },
      ]),
    );
    expect(text).toContain('from 50 % (n 4) to 75 % (n 8)');
    expect(text).toContain('1 bucket has no judged session and is left open');
  });
  it('says when a trend holds nothing', () => expect(trendInWords([])).toBe('Nothing was measured in this window.'));
  it('has no percentage for a histogram of nothing', () => {
    expect(correctionsInWords({ labels: [], current_bins: [0, 0], baseline_bins: [0, 0] })).not.toContain('%');
  });
  it('has no percentage for a shadow trend of nothing', () => {
    expect(shadowInWords({ n: 0, wins: 0, losses: 0, ties: 0, win_rate: 0, net_win: 0, ci95: null })).not.toContain('%');
  });
  it('finds a judge that always picks the first place', () => expect(plain(slotInWords(50, 50))).toContain('a fair judge would be near 50 %'));
  it('finds nothing wrong with 26 of 50', () => expect(slotInWords(26, 50)).toContain('fits a fair judge'));
});

const arm = (rate: number | null): ArmMetrics => ({
  arm: 'treatment',
  assigned_user_count: 5,
  published_session_count: 9,
  evaluated_user_count: rate === null ? 0 : 4,
  evaluated_session_count: rate === null ? 0 : 8,
  success_rate: rate,
  average_corrections: null,
  average_turns_to_resolution: null,
  escalation_rate: null,
  average_output_tokens: null,
  output_token_session_count: 0,
});
const results = (lift: number | null, ci: [number, number] | null): ExperimentResults => ({
  experiment: { experiment_id: 'e', holdout_percentage: 10, started_at: 0, ended_at: null },
  treatment: arm(0.7),
  holdout: arm(0.5),
  success_rate_lift_percentage_points: lift,
  relative_success_lift: null,
  confidence_interval_95_percentage_points: ci,
  evaluated_session_coverage: null,
  unattributed_evaluated_session_count: 0,
  interval_method: 'user_ratio',
  cluster_robust: null,
  health: [],
  verdict: 'unclear',
  decision: '',
});

describe('the decision', () => {
  it('decides nothing while the interval spans zero', () => expect(decision(results(22.7, [-32.3, 65.1]))).toMatch(/^No clear effect yet/));
  it('says that retrieval helps', () => expect(decision(results(8, [2, 14]))).toMatch(/^Retrieval helps/));
  it('says that retrieval hurts', () => expect(decision(results(-8, [-14, -2]))).toMatch(/^Retrieval hurts/));
  it('says what is missing without an interval', () => expect(decision(results(8, null))).toContain('at least two users'));
  it('asks to settle a critical finding first', () => {
    const sick = { ...results(8, [2, 14]), health: [{ code: 'x', severity: 'critical', message: 'm', value: 1 }] };
    expect(decision(sick as ExperimentResults)).toContain('before you act');
  });
  it('shows no percentage for an arm nobody judged', () => expect(armInWords(arm(null))).not.toContain('%'));
});
