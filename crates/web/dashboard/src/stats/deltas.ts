/** The change of each tile against the seven days before, and what it means. */
import type { ContextTile, Interval } from '../api/types';
import { spansZero } from './interval';

export type Direction = 'better' | 'worse' | 'unclear' | 'no_baseline';

export interface Delta {
  value: number | null;
  ci: Interval | null;
  direction: Direction;
}

export interface TileDeltas {
  success: Delta;
  behavior: Delta;
  escalation: Delta;
  corrections: Delta;
  turns: Delta;
}

export function tileDeltas(tiles: ContextTile): TileDeltas {
  const { success, escalation, corrections, turns, behavior_success: behavior } = tiles;
  const before = tiles.baseline_sessions;
  return {
    success: judged(success.delta_pp, success.delta_ci95, before, 1),
    escalation: judged(escalation.delta_pp, escalation.delta_ci95, before, -1),
    behavior: judged(behavior.delta_pp, behavior.delta_ci95, before, 1),
    corrections: judged(corrections.delta, corrections.delta_ci95, before, -1),
    turns: judged(turns.delta, turns.delta_ci95, before, -1),
  };
}

/** `good` is +1 when more is better and −1 when less is. */
function judged(value: number | null | undefined, ci: Interval | null | undefined, baseline: number, good: 1 | -1): Delta {
  if (value == null || baseline === 0) return { value: null, ci: null, direction: 'no_baseline' };
  if (ci == null || spansZero(ci)) return { value, ci: ci ?? null, direction: 'unclear' };
  return { value, ci, direction: Math.sign(value) === good ? 'better' : 'worse' };
}
