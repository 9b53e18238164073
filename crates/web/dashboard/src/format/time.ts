/** Times for people, always in UTC, because the buckets of the service are. */

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
const hour = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

const date = (seconds: number) => new Date(seconds * 1000);

/** 15 Nov 2026, 02:50 UTC. */
export function moment(seconds: number | null | undefined): string {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? `${minute.format(date(seconds))}\u00a0UTC` : 'no time';
}

/** 15 Nov 2026. */
export const calendarDay = (seconds: number): string => dayAndYear.format(date(seconds));

/** The name of one bucket on an axis or in a table. */
export function bucketName(seconds: number, bucket: 'hour' | 'day' | 'week'): string {
  if (bucket === 'hour') return hour.format(date(seconds));
  return bucket === 'week' ? `week of ${day.format(date(seconds))}` : day.format(date(seconds));
}

/** A short axis label. */
export const axisDay = (seconds: number): string => day.format(date(seconds));

const units: [number, string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** 5400 → 1 hour 30 minutes; at most two units. */
export function duration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [size, name] of units) {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole > 0) parts.push(`${whole} ${name}${whole === 1 ? '' : 's'}`);
    if (parts.length === 2) break;
  }
  return parts.length > 0 ? parts.join(' ') : '0 seconds';
}

/** The value of a date field (YYYY-MM-DD) for a moment, and back. */
export const toDateField = (seconds: number): string => date(seconds).toISOString().slice(0, 10);
export function fromDateField(text: string): number | null {
  const milliseconds = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && Number.isFinite(milliseconds) ? milliseconds / 1000 : null;
}
