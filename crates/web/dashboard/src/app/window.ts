/** The time window, bucket, source and agent version of a view, all of them read from and written to the address. */
import type { Bucket } from '../api/types';
import { fromDateField } from '../format/time';
import { fittingBucket, readable } from '../stats/buckets';
import type { Place } from './router';

export const ranges = { '24h': 1, '7d': 7, '28d': 28, '90d': 90, '365d': 365 } as const;
export type Range = keyof typeof ranges | 'custom';
export const rangeNames: Record<Range, string> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '28d': 'Last 28 days',
  '90d': 'Last 90 days',
  '365d': 'Last 365 days',
  custom: 'From … to …',
};
export const STANDARD: Range = '28d';
const DAY = 86_400;

export interface View {
  range: Range;
  from: number;
  to: number;
  bucket: Bucket;
  chosenBucket: Bucket | null;
  source: string | null;
  agent: string | null;
}

const isBucket = (text: string | null): text is Bucket => text === 'hour' || text === 'day' || text === 'week';

/** Reads a view; whatever the address holds that makes no sense falls back to the standard window. */
export function readView(place: Place, now: number): View {
  const query = place.query;
  const { range, from, to } = readWindow(query, now);
  const bucket = query.get('bucket');
  const chosen = isBucket(bucket) && readable(bucket, to - from) === bucket ? bucket : null;
  return {
    range,
    from,
    to,
    bucket: chosen ?? readable(isBucket(bucket) ? bucket : fittingBucket(to - from), to - from),
    chosenBucket: chosen,
    source: query.get('source'),
    agent: query.get('agent') || null,
  };
}

function readWindow(query: URLSearchParams, now: number): { range: Range; from: number; to: number } {
  const asked = query.get('range');
  if (asked === 'custom') {
    const from = fromDateField(query.get('from') ?? '');
    const to = fromDateField(query.get('to') ?? '');
    if (from !== null && to !== null && from <= to) return { range: 'custom', from, to: to + DAY - 1 };
  }
  const range: keyof typeof ranges = asked !== null && asked in ranges ? (asked as keyof typeof ranges) : (STANDARD as '28d');
  return { range, from: now - ranges[range] * DAY, to: now };
}

/** Only the part of the address that other pages share, so that moving between pages keeps the window. */
export function sharedQuery(place: Place): string {
  const kept = new URLSearchParams();
  for (const key of ['range', 'from', 'to', 'bucket', 'source', 'agent']) {
    const value = place.query.get(key);
    if (value !== null) kept.set(key, value);
  }
  const text = kept.toString();
  return text === '' ? '' : `?${text}`;
}

/** Now in whole seconds, rounded down to the minute so that a redraw does not ask the server again. */
export const nowMinute = (): number => Math.floor(Date.now() / 60_000) * 60;
