/** The overview of the stub, counted from its sessions as the contract says. */
import { DAY, resultOf } from './data.mjs';

const Z = 1.959963984540054;

function wilson(successes, n, unit) {
  if (n === 0) return null;
  const p = successes / n;
  const middle = (p + (Z * Z) / (2 * n)) / (1 + (Z * Z) / n);
  const half = (Z / (1 + (Z * Z) / n)) * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  return [Math.max(0, middle - half) * unit, Math.min(1, middle + half) * unit];
}

const mean = (rows, of) => (rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + Number(of(row)), 0) / rows.length);
const rate = (rows) => mean(rows, (row) => row.is_success);
const wins = (rows) => rows.filter((row) => row.is_success).length;

function bucketStart(ts, bucket) {
  if (bucket === 'hour') return ts - (ts % 3600);
  const day = ts - (ts % DAY);
  if (bucket === 'day') return day;
  return day - ((new Date(day * 1000).getUTCDay() + 6) % 7) * DAY;
}

function buckets(rows, bucket) {
  const groups = new Map();
  for (const row of rows) {
    const ts = bucketStart(row.created_at, bucket);
    groups.set(ts, [...(groups.get(ts) ?? []), row]);
  }
  return [...groups].sort(([a], [b]) => a - b).map(([ts, list]) => ({
    ts,
    regular_rate: rate(list),
    shadow_rate: null,
    regular_n: list.length,
    shadow_n: 0,
    avg_corrections: mean(list, (row) => row.corrections),
    escalation_rate: mean(list, (row) => row.is_escalated),
    ci95: wilson(wins(list), list.length, 1),
  }));
}

function sides(all, body) {
  const from = Math.max(body.from_ts, body.to_ts - 7 * DAY);
  const current = all.filter((row) => row.created_at >= from && row.created_at <= body.to_ts);
  const baseline = all.filter((row) => row.created_at >= from - 7 * DAY && row.created_at < from);
  return { current, baseline };
}

function tiles({ current, baseline }) {
  const eligible = (rows) => rows.filter((row) => row.failure_type !== 'system_error');
  const [now, before] = [eligible(current), eligible(baseline)];
  const delta = (of) => mean(current, of) - mean(baseline, of);
  const turns = (rows) => mean(rows.filter((row) => row.is_success), () => 2);
  return {
    success: { current: 100 * rate(current), delta_pp: 100 * (rate(current) - rate(baseline)), ci95: wilson(wins(current), current.length, 100), delta_ci95: null },
    corrections: { current: mean(current, (row) => row.corrections), delta: delta((row) => row.corrections), delta_ci95: null },
    turns: { current: turns(current), delta: turns(current) - turns(baseline), delta_ci95: null },
    escalation: { current: 100 * mean(current, (row) => row.is_escalated), delta_pp: 100 * delta((row) => row.is_escalated), ci95: null, delta_ci95: null },
    behavior_success: {
      current: now.length ? 100 * rate(now) : null,
      delta_pp: now.length && before.length ? 100 * (rate(now) - rate(before)) : null,
      eligible_sessions: now.length,
      excluded_system_errors: current.length - now.length,
      ci95: wilson(wins(now), now.length, 100),
      delta_ci95: null,
    },
    current_sessions: current.length,
    baseline_sessions: baseline.length,
  };
}

function distribution({ current, baseline }) {
  const bins = (rows) => [0, 1, 2, 3, 4, 5].map((bin) => rows.filter((row) => Math.min(5, row.corrections) === bin).length);
  return { labels: ['0', '1', '2', '3', '4', '5+'], current_bins: bins(current), baseline_bins: bins(baseline) };
}

function rules(rows) {
  const found = new Map();
  for (const row of rows) {
    for (const rule of row.rules) {
      const key = `${rule.kind}:${rule.rule_id}`;
      const entry = found.get(key) ?? { ...rule, successes_with: 0, failures_with: 0, net_sessions: 0, cited_session_ids: [] };
      if (row.is_success) entry.successes_with += 1;
      else entry.failures_with += 1;
      entry.net_sessions = entry.successes_with - entry.failures_with;
      found.set(key, entry);
    }
  }
  return [...found.values()].sort((a, b) => b.net_sessions - a.net_sessions).slice(0, 5);
}

function trend(world, body) {
  const days = new Map();
  const inside = body.include_shadow === false ? [] : world.verdicts.filter((verdict) => {
    const ts = Date.parse(verdict.created_at) / 1000;
    return ts >= body.from_ts && ts <= body.to_ts;
  });
  const count = (list, outcome) => list.filter((verdict) => verdict.outcome === outcome).length;
  for (const verdict of inside) days.set(verdict.day, [...(days.get(verdict.day) ?? []), verdict]);
  const totals = (list) => ({ n: list.length, wins: count(list, 'win'), losses: count(list, 'loss'), ties: count(list, 'tie') });
  const total = totals(inside);
  return {
    daily: [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([date, list]) => ({ date, ...totals(list) })),
    window_total: {
      ...total,
      win_rate: total.n ? total.wins / total.n : 0,
      net_win: total.n ? (total.wins - total.losses) / total.n : 0,
      ci95: wilson(total.wins, total.n, 1),
    },
    judge_prompt_version: 'v1.1.0',
  };
}

function metrics(all, body) {
  const rows = all.filter((row) => row.created_at >= body.from_ts && row.created_at <= body.to_ts);
  const both = sides(all, body);
  return { rows, both };
}

export function overview(world, body) {
  const judged = world.sessions.filter((row) => row.judged && (!body.agent_version || row.agent_version === body.agent_version));
  const { rows, both } = metrics(judged, body);
  const shadow = trend(world, body);
  const chosen = (body.source_sets ?? []).flatMap((set) => set.sources);
  return {
    hero: {
      state: rows.length === 0 ? 'empty' : shadow.window_total.n === 0 ? 'shadow_off' : 'early',
      regular_success_rate_pp: 100 * rate(rows),
      shadow_success_rate_pp: null,
      delta_pp: null,
      buckets: buckets(rows, body.bucket ?? 'week'),
      ci95: wilson(wins(rows), rows.length, 100),
    },
    context_tiles: tiles(both),
    rule_attribution: rules(rows),
    harmful_rules: [],
    score_distribution: distribution(both),
    partner_tiles: rows.length === 0 ? [] : [{ scorer_name: 'tone', current: 0.83, n: 41, delta: 0.02 }, { scorer_name: 'toxicity', current: 0.01, n: 41, delta: -0.004 }],
    shadow_win_rate_trend: shadow,
    recent_results: rows.slice(0, 100).map(resultOf),
    source_set_comparison: {
      available_sources: [...new Set(rows.map((row) => row.source))].sort(),
      source_sessions: [],
      sets: (body.source_sets ?? []).map((set) => sourceSet(set, judged, body)),
      unmatched_session_count: rows.filter((row) => !chosen.includes(row.source)).length,
    },
    available_agent_versions: [...new Set(world.sessions.map((row) => row.agent_version))].sort(),
  };
}

function sourceSet(set, judged, body) {
  const { rows, both } = metrics(judged.filter((row) => set.sources.includes(row.source)), body);
  return {
    ...set,
    session_count: rows.length,
    session_ids: [],
    success_rate_pp: 100 * rate(rows),
    buckets: buckets(rows, body.bucket ?? 'week'),
    context_tiles: tiles(both),
    score_distribution: distribution(both),
    rule_attribution: rules(rows),
    harmful_rules: [],
    partner_tiles: [],
    ci95: wilson(wins(rows), rows.length, 100),
  };
}
