/** Numbers for people: a missing measurement is words, never a zero, and never NaN. */

/** What stands in the place of a number that nobody measured. */
export const NOT_MEASURED = 'not measured';

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const NBSP = '\u00a0';
const MINUS = '\u2212';

const known = (value: number | null | undefined): value is number => typeof value === 'number' && Number.isFinite(value);

/** 12345 → 12,345. */
export function count(value: number | null | undefined): string {
  return known(value) ? signed(whole.format(value)) : NOT_MEASURED;
}

/** One noun with its number: 1 session, 2 sessions. */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : plural}`;
}

/** A plain figure with a fixed number of decimals. */
export function figure(value: number | null | undefined, decimals = 2): string {
  return known(value) ? signed(fixed(value, decimals)) : NOT_MEASURED;
}

/** A value already in percent (0–100). */
export function percent(value: number | null | undefined, decimals = 1): string {
  return known(value) ? `${signed(fixed(value, decimals))}${NBSP}%` : NOT_MEASURED;
}

/** A fraction (0–1) as percent. */
export function share(value: number | null | undefined, decimals = 1): string {
  return known(value) ? percent(value * 100, decimals) : NOT_MEASURED;
}

/** A difference with its sign; a difference that rounds to nothing has none. */
export function change(value: number | null | undefined, decimals = 1): string {
  if (!known(value)) return NOT_MEASURED;
  const text = fixed(Math.abs(value), decimals);
  if (Number(text) === 0) return text;
  return `${value > 0 ? '+' : MINUS}${text}`;
}

/** A difference of percentages, in points. */
export function points(value: number | null | undefined, decimals = 1): string {
  return known(value) ? `${change(value, decimals)}${NBSP}points` : NOT_MEASURED;
}

/** An interval in the unit of its value: 66.1 to 75.8. */
export function interval(range: readonly [number, number] | null | undefined, show: (value: number) => string): string {
  return range && known(range[0]) && known(range[1]) ? `${show(range[0])} to ${show(range[1])}` : 'no interval';
}

function fixed(value: number, decimals: number): string {
  return value.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

function signed(text: string): string {
  const proper = text.replace('-', MINUS);
  return /^\u2212[0.,]*$/.test(proper) ? proper.slice(1) : proper;
}
