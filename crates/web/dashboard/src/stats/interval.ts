/** Uncertainty of rates and of their differences, for the places where the service gives counts but no interval. */
import type { Interval } from '../api/types';

const Z = 1.959963984540054;

/** A measured rate (0–1) with its interval and the number it rests on. */
export interface Rate {
  rate: number;
  n: number;
  ci: Interval;
}

/** Wilson's score interval of a rate over `n` observations; null when there are none. */
export function wilson(rate: number, n: number): Interval | null {
  if (!(n > 0) || !Number.isFinite(rate)) return null;
  const z2 = Z * Z;
  const middle = (rate + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z / (1 + z2 / n)) * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** A rate from its parts; null when nothing was observed. */
export function measured(rate: number, n: number, ci?: Interval | null): Rate | null {
  const range = ci ?? wilson(rate, n);
  return range === null || n <= 0 ? null : { rate, n, ci: range };
}

/** The interval of `a − b` from the intervals of both sides (square-and-add). */
export function difference(a: Rate, b: Rate): { value: number; ci: Interval } {
  const value = a.rate - b.rate;
  const low = Math.hypot(a.rate - a.ci[0], b.ci[1] - b.rate);
  const high = Math.hypot(a.ci[1] - a.rate, b.rate - b.ci[0]);
  return { value, ci: [Math.max(-1, value - low), Math.min(1, value + high)] };
}

/** Whether an interval leaves the direction open. */
export const spansZero = (ci: Interval): boolean => ci[0] <= 0 && ci[1] >= 0;

/** Scales an interval, say from fractions to percent. */
export const scaled = (ci: Interval, factor: number): Interval => [ci[0] * factor, ci[1] * factor];
