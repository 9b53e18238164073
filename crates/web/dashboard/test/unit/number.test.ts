import { describe, expect, it } from 'vitest';
import { change, count, counted, figure, interval, percent, points, share } from '../../src/format/number';
import { bucketName, duration, fromDateField, moment, toDateField } from '../../src/format/time';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('numbers for people', () => {
  it('says "not measured" for what nobody measured, never zero and never NaN', () => {
    for (const show of [count, figure, percent, share, change, points]) {
      expect(show(null)).toBe('not measured');
      expect(show(undefined)).toBe('not measured');
      expect(show(Number.NaN)).toBe('not measured');
      expect(show(Number.POSITIVE_INFINITY)).toBe('not measured');
    }
  });
  it('shows a measured zero as zero', () => expect(plain(share(0))).toBe('0.0 %'));
  it('groups thousands', () => expect(count(1234567)).toBe('1,234,567'));
  it('writes one session and two sessions', () => {
    expect(counted(1, 'session')).toBe('1 session');
    expect(counted(2, 'session')).toBe('2 sessions');
  });
  it('gives a change its sign, with a true minus', () => {
    expect(change(2.04)).toBe('+2.0');
    expect(change(-2.06)).toBe('−2.1');
  });
  it('gives no sign to a change that rounds to nothing', () => {
    expect(change(-0.01)).toBe('0.0');
    expect(figure(-0.001, 2)).toBe('0.00');
  });
  it('names a missing interval', () => expect(interval(null, String)).toBe('no interval'));
  it('writes an interval in the unit of its value', () => expect(interval([1, 2], (v) => percent(v, 0).replace('\u00a0', ' '))).toBe('1 % to 2 %'));
});

describe('times for people', () => {
  it('writes moments in UTC and says so', () => expect(moment(1794704936)).toBe('15 Nov 2026, 01:08\u00a0UTC'));
  it('names a missing moment', () => expect(moment(null)).toBe('no time'));
  it('names a week by its Monday', () => expect(bucketName(1794182400, 'week')).toBe('week of 9 Nov'));
  it('writes at most two units of a duration', () => {
    expect(duration(5400)).toBe('1 hour 30 minutes');
    expect(duration(0)).toBe('0 seconds');
    expect(duration(90061)).toBe('1 day 1 hour');
  });
  it('reads back the date field it wrote', () => expect(fromDateField(toDateField(1794182400))).toBe(1794182400));
  it('refuses a date field that is no date', () => {
    expect(fromDateField('')).toBeNull();
    expect(fromDateField('2026-13-99')).toBeNull();
  });
});
