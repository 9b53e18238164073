import { describe, expect, it } from 'vitest';
import type { ContextTile, HeroBucket } from '../../src/api/types';
import { fittingBucket, lonePoints, readable, sessionsIn, withGaps } from '../../src/stats/buckets';
import { tileDeltas } from '../../src/stats/deltas';
import { difference, measured, spansZero, wilson } from '../../src/stats/interval';
import { forecast } from '../../src/stats/planner';

const bucket = (ts: number, n: number, rate = 0.5): HeroBucket => ({
  ts,
  regular_rate: rate,
  shadow_rate: null,
  regular_n: n,
  shadow_n: 0,
  avg_corrections: 0,
  escalation_rate: 0,
  ci95: null,
});

describe('intervals', () => {
  it('has no interval without observations', () => expect(wilson(0, 0)).toBeNull());
  it('agrees with the published value for 15 of 20', () => {
    const [low, high] = wilson(0.75, 20)!;
    expect(low).toBeCloseTo(0.5313, 4);
    expect(high).toBeCloseTo(0.8881, 4);
  });
  it('stays inside 0 and 1 at the edges', () => {
    expect(wilson(0, 5)![0]).toBe(0);
    expect(wilson(1, 5)![1]).toBe(1);
  });
  it('agrees with the published square-and-add difference of 56/70 and 48/80', () => {
    const { value, ci } = difference(measured(56 / 70, 70)!, measured(48 / 80, 80)!);
    expect(value).toBeCloseTo(0.2, 10);
    expect(ci[0]).toBeCloseTo(0.0524, 4);
    expect(ci[1]).toBeCloseTo(0.3339, 4);
  });
  it('counts an interval that touches zero as open', () => expect(spansZero([0, 1])).toBe(true));
});

describe('the trend line', () => {
  it('leaves a gap for a day without sessions', () => {
    const line = withGaps([bucket(0, 3), bucket(3 * 86_400, 2)], 'day');
    expect(line.map((point) => point.rate)).toEqual([0.5, null, null, 0.5]);
  });
  it('shows a silence at the end of the window, and at the start of a shared one', () => {
    const line = withGaps([bucket(86_400, 3)], 'day', { from: 0, to: 3 * 86_400 });
    expect(line.map((point) => point.rate)).toEqual([null, 0.5, null]);
  });
  it('draws nothing for nothing', () => expect(withGaps([], 'day', { to: 86_400 })).toEqual([]));
  it('makes buckets coarser rather than draw thousands', () => {
    expect(readable('hour', 30 * 86_400)).toBe('hour');
    expect(readable('hour', 365 * 86_400)).toBe('day');
    expect(readable('hour', 3650 * 86_400)).toBe('week');
  });
  it('treats a bucket of no sessions as a gap', () => expect(withGaps([bucket(0, 0, 0)], 'day')[0]!.rate).toBeNull());
  it('marks a point between gaps as lone', () => {
    const line = withGaps([bucket(0, 3), bucket(2 * 86_400, 2), bucket(3 * 86_400, 2)], 'day');
    expect(lonePoints(line).map((point) => point.ts)).toEqual([0]);
  });
  it('sums the sessions of its buckets', () => expect(sessionsIn([bucket(0, 3), bucket(1, 4)])).toBe(7));
  it('picks a bucket that fits the window', () => {
    expect(fittingBucket(86_400)).toBe('hour');
    expect(fittingBucket(30 * 86_400)).toBe('day');
    expect(fittingBucket(180 * 86_400)).toBe('week');
  });
});

const tiles = (delta: number, ci: [number, number] | null, baseline = 400): ContextTile => ({
  success: { current: 70, delta_pp: delta, ci95: null, delta_ci95: ci },
  corrections: { current: 1, delta: 0.1, delta_ci95: null },
  turns: { current: 3, delta: 0.2, delta_ci95: null },
  escalation: { current: 5, delta_pp: delta, ci95: null, delta_ci95: ci },
  behavior_success: { current: null, delta_pp: null, eligible_sessions: 0, excluded_system_errors: 0, ci95: null, delta_ci95: null },
  current_sessions: 400,
  baseline_sessions: baseline,
});

describe('changes of the tiles', () => {
  it('calls a change better only when its interval leaves zero', () => {
    expect(tileDeltas(tiles(20, [14, 26])).success.direction).toBe('better');
    expect(tileDeltas(tiles(1, [-4, 6])).success.direction).toBe('unclear');
  });
  it('knows no change without a baseline, though the service says delta = current', () => {
    expect(tileDeltas(tiles(70, null, 0)).success).toEqual({ value: null, ci: null, direction: 'no_baseline' });
  });
  it('calls fewer escalations better', () => expect(tileDeltas(tiles(-10, [-14, -6])).escalation.direction).toBe('better'));
  it('leaves a change unclear while no interval is known', () => expect(tileDeltas(tiles(0, null)).turns.direction).toBe('unclear'));
  it('knows no change of what nobody could measure', () => expect(tileDeltas(tiles(0, null)).behavior.direction).toBe('no_baseline'));
});

describe('the experiment planner', () => {
  const plan = { users: 2000, holdoutPercentage: 10, sessionsPerUser: 1, successRate: 0.5, correlation: 0.05 };
  it('agrees with the two-sample formula when each user has one session', () => {
    expect(forecast(plan).detectableLift).toBeCloseTo(100 * 2.8016 * Math.sqrt(0.25 * (1 / 200 + 1 / 1800)), 2);
  });
  it('sees less when sessions of one user resemble each other', () => {
    const alike = forecast({ ...plan, sessionsPerUser: 10, correlation: 1 }).detectableLift!;
    const apart = forecast({ ...plan, sessionsPerUser: 10, correlation: 0 }).detectableLift!;
    expect(alike).toBeGreaterThan(apart);
  });
  it('promises nothing when an arm would hold fewer than two users', () => {
    expect(forecast({ ...plan, users: 10, holdoutPercentage: 5 }).detectableLift).toBeNull();
  });
});
