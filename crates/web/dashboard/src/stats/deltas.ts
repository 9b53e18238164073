/** The change of each tile against the seven days before, with an interval wherever one can be had. */
import type { ContextTile, Interval, ScoreDistribution } from '../api/types';
import { difference, meanDifference, measured, scaled, spansZero } from './interval';

export type Direction = 'better' | 'worse' | 'unclear' | 'no_baseline';

export interface Delta {
  value: number | null;
  ci: Interval | null;
  direction: Direction;
}

export interface TileDeltas {
  currentSessions: number;
  baselineSessions: number;
  success: Delta;
  behavior: Delta;
  escalation: Delta;
  corrections: Delta;
  turns: Delta;
}

const sum = (bins: readonly number[]) => bins.reduce((total, bin) => total + bin, 0);

/** Works out all five; an interval from the service goes before one of ours. */
export function tileDeltas(tiles: ContextTile, distribution: ScoreDistribution): TileDeltas {
  const now = tiles.current_sessions ?? sum(distribution.current_bins);
  const before = tiles.baseline_sessions ?? sum(distribution.baseline_bins);
  const { success, escalation, corrections, turns, behavior_success: behavior } = tiles;
  const rate = (tile: { current: number; delta_pp: number; ci95?: Interval | null; delta_ci95?: Interval | null }) =>
    tile.delta_ci95 ?? rateDelta(tile.current, tile.delta_pp, now, before, tile.ci95);
  const between = meanDifference(corrections.delta, distribution.current_bins, distribution.baseline_bins);
  return {
    currentSessions: now,
    baselineSessions: before,
    success: judged(success.delta_pp, rate(success), before, 1),
    escalation: judged(escalation.delta_pp, rate(escalation), before, -1),
    behavior: judged(behavior.delta_pp, behavior.delta_ci95 ?? null, before, 1),
    corrections: judged(corrections.delta, corrections.delta_ci95 ?? between, before, -1),
    turns: judged(turns.delta, turns.delta_ci95 ?? null, before, -1),
  };
}

function rateDelta(current: number, delta: number, now: number, before: number, ci?: Interval | null): Interval | null {
  const a = measured(current / 100, now, ci ? scaled(ci, 0.01) : null);
  const b = measured((current - delta) / 100, before);
  return a && b ? scaled(difference(a, b).ci, 100) : null;
}

/** `good` is +1 when more is better and −1 when less is. */
function judged(value: number | null, ci: Interval | null, baseline: number, good: 1 | -1): Delta {
  if (value === null || baseline === 0) return { value: null, ci: null, direction: 'no_baseline' };
  if (ci === null || spansZero(ci)) return { value, ci, direction: 'unclear' };
  return { value, ci, direction: Math.sign(value) === good ? 'better' : 'worse' };
}
