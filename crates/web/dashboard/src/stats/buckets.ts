/** Turns the service's list of buckets, which leaves out empty ones, into a line with gaps where nothing was measured. */
import type { Bucket, HeroBucket, Interval } from '../api/types';
import { wilson } from './interval';

export interface TrendPoint {
  ts: number;
  rate: number | null;
  ci: Interval | null;
  n: number;
}

const steps: Record<Bucket, number> = { hour: 3_600, day: 86_400, week: 604_800 };
const MOST_POINTS = 2_000;
const MOST_BUCKETS = 800;

/** The bucket that makes a readable line for a window. */
export function fittingBucket(seconds: number): Bucket {
  if (seconds <= 2 * 86_400) return 'hour';
  return seconds <= 60 * 86_400 ? 'day' : 'week';
}

/** One step coarser: a part of the sessions needs longer buckets than all of them for the same certainty. */
export const coarser = (bucket: Bucket): Bucket => (bucket === 'hour' ? 'day' : 'week');

/** Where a line has to begin and end, so that several lines share a scale and a silence at the end is seen. */
export interface Span {
  from?: number | undefined;
  to?: number | undefined;
}

/** One point per bucket of the span, null where nothing was measured. */
export function withGaps(buckets: readonly HeroBucket[], bucket: Bucket, span: Span = {}): TrendPoint[] {
  const points: TrendPoint[] = [];
  let next = span.from ?? null;
  const fill = (until: number) => {
    for (; next !== null && next < until && points.length < MOST_POINTS; next += steps[bucket]) points.push({ ts: next, rate: null, ci: null, n: 0 });
  };
  for (const row of buckets) {
    fill(row.ts);
    points.push(asPoint(row));
    next = row.ts + steps[bucket];
  }
  if (buckets.length > 0 && span.to !== undefined) fill(span.to);
  return points;
}

/** The chosen bucket, or the finest coarser one that keeps a window readable. */
export function readable(bucket: Bucket, seconds: number): Bucket {
  if (bucket === 'hour' && seconds / steps.hour > MOST_BUCKETS) return readable('day', seconds);
  return bucket === 'day' && seconds / steps.day > MOST_BUCKETS ? 'week' : bucket;
}

function asPoint(row: HeroBucket): TrendPoint {
  if (row.regular_n <= 0) return { ts: row.ts, rate: null, ci: null, n: 0 };
  return { ts: row.ts, rate: row.regular_rate, ci: row.ci95 ?? wilson(row.regular_rate, row.regular_n), n: row.regular_n };
}

/** The lengths of uninterrupted runs, so that a lone point can be drawn as a dot. */
export function lonePoints(points: readonly TrendPoint[]): TrendPoint[] {
  return points.filter((point, at) => point.rate !== null && points[at - 1]?.rate == null && points[at + 1]?.rate == null);
}

export const sessionsIn = (buckets: readonly HeroBucket[]): number => buckets.reduce((sum, row) => sum + row.regular_n, 0);
