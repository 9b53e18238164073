/** What the charts and numbers say, as one sentence each. */
import type { ArmMetrics, ExperimentResults, HeroBlock, ScoreDistribution, ShadowTotal } from '../api/types';
import type { TrendPoint } from '../stats/buckets';
import type { Delta } from '../stats/deltas';
import { spansZero, wilson } from '../stats/interval';
import { change, count, counted, figure, interval, percent, points, share } from './number';

/** Success 71 % ± 4, no clear change against the previous 7 days, 412 sessions, judge v1.1.0. */
export function headline(hero: HeroBlock, sessions: number, delta: Delta, judge: string | null): string {
  if (hero.state === 'empty' || sessions === 0) return 'No session was judged in this window.';
  const ci = hero.ci95 ?? scaledWilson(hero.regular_success_rate_pp, sessions);
  const margin = ci ? ` ± ${figure(Math.max(1, (ci[1] - ci[0]) / 2), 0)}` : '';
  const parts = [`Success ${percent(hero.regular_success_rate_pp, 0)}${margin}`, changeInWords(delta), counted(sessions, 'session')];
  if (judge) parts.push(`judge ${judge}`);
  return `${parts.join(', ')}.`;
}

function scaledWilson(pp: number, n: number): [number, number] | null {
  const ci = wilson(pp / 100, n);
  return ci && [ci[0] * 100, ci[1] * 100];
}

/** The change of the last 7 days in a phrase. */
export function changeInWords(delta: Delta): string {
  if (delta.direction === 'no_baseline') return 'no earlier sessions to compare with';
  if (delta.direction === 'unclear') return 'no clear change against the previous 7 days';
  const way = (delta.value ?? 0) > 0 ? 'up' : 'down';
  return `${way} ${figure(Math.abs(delta.value ?? 0), 1)} points against the previous 7 days`;
}

/** First and last bucket of the trend, its lowest and highest, and how many gaps. */
export function trendInWords(line: readonly TrendPoint[]): string {
  const full = line.filter((point) => point.rate !== null);
  const [first] = full;
  const last = full.at(-1);
  if (!first || !last) return 'Nothing was measured in this window.';
  const gaps = line.length - full.length;
  const gap = gaps > 0 ? ` ${counted(gaps, 'bucket has', 'buckets have')} no judged session and ${gaps === 1 ? 'is' : 'are'} left open.` : '';
  if (full.length === 1) return `One bucket was measured: ${share(first.rate, 0)} success over ${counted(first.n, 'session')}.${gap}`;
  const rates = full.map((point) => point.rate ?? 0);
  return (
    `Success went from ${share(first.rate, 0)} (n ${count(first.n)}) to ${share(last.rate, 0)} (n ${count(last.n)}), ` +
    `between ${share(Math.min(...rates), 0)} and ${share(Math.max(...rates), 0)} over ${counted(full.length, 'bucket')}.${gap}`
  );
}

/** Sessions without any correction, now and before. */
export function correctionsInWords(distribution: ScoreDistribution): string {
  const total = (bins: number[]) => bins.reduce((sum, bin) => sum + bin, 0);
  const now = total(distribution.current_bins);
  const before = total(distribution.baseline_bins);
  if (now === 0) return 'No session was judged in the current period.';
  const clean = `${share((distribution.current_bins[0] ?? 0) / now, 0)} of ${counted(now, 'session')} needed no correction`;
  if (before === 0) return `${clean}; there is no earlier period to compare with.`;
  return `${clean}; in the period before it was ${share((distribution.baseline_bins[0] ?? 0) / before, 0)} of ${count(before)}.`;
}

/** Wins, ties and losses against the shadow response. */
export function shadowInWords(total: ShadowTotal): string {
  if (total.n === 0) return 'No turn was compared with a shadow response in this window.';
  const ci = total.ci95 ?? wilson(total.win_rate, total.n);
  return (
    `The service won ${share(total.win_rate, 0)} of ${counted(total.n, 'comparison')} (95 % interval ` +
    `${interval(ci, (value) => share(value, 0))}), tied ${count(total.ties)} and lost ${count(total.losses)}.`
  );
}

/** Whether the judge prefers what stands in the first place. */
export function slotInWords(first: number, decided: number): string {
  if (decided === 0) return 'No decided comparison, so nothing can be said about a preference for the first place.';
  const ci = wilson(first / decided, decided);
  const fair = ci !== null && ci[0] <= 0.5 && ci[1] >= 0.5;
  const seen = `The judge chose the first place in ${share(first / decided, 0)} of ${counted(decided, 'decided comparison')}`;
  return fair ? `${seen}; that fits a fair judge.` : `${seen}; a fair judge would be near 50 %.`;
}

/** The decision an experiment allows today. */
export function decision(results: ExperimentResults): string {
  const lift = results.success_rate_lift_percentage_points;
  const ci = results.confidence_interval_95_percentage_points;
  const serious = (results.health ?? []).filter((finding) => finding.severity === 'critical' || finding.severity === 'error');
  if (lift === null) return 'Nothing can be said yet: one of the arms has no judged session.';
  if (ci === null) return 'Nothing can be said yet: each arm needs judged sessions of at least two users.';
  const range = interval(ci, (value) => change(value));
  const caution = serious.length > 0 ? ' Settle the problems named above before you act on it.' : '';
  if (spansZero(ci)) return `No clear effect yet: ${points(lift)}, and anything from ${range} fits the data.${caution}`;
  const verb = lift > 0 ? 'Retrieval helps' : 'Retrieval hurts';
  return `${verb}: ${points(lift)} of success, with 95 % confidence ${range}.${caution}`;
}

/** One arm's success with its n. */
export function armInWords(arm: ArmMetrics): string {
  const n = `n\u00a0${count(arm.evaluated_session_count)}, ${counted(arm.evaluated_user_count, 'user')}`;
  return `${share(arm.success_rate)} (${n})`;
}
