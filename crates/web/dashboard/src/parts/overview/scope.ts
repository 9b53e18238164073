/** Picks what the overview shows: everything, or the metrics of the one source that the address names. */
import type { ContextTile, HeroBlock, OverviewResponse, PartnerTileRow, RuleAttributionRow, ScoreDistribution } from '../../api/types';
import { sessionsIn } from '../../stats/buckets';

export interface Scope {
  hero: HeroBlock;
  sessions: number;
  tiles: ContextTile;
  distribution: ScoreDistribution;
  rules: RuleAttributionRow[];
  harmful: RuleAttributionRow[];
  partners: PartnerTileRow[];
}

export function scopeOf(answer: OverviewResponse, source: string | null): Scope {
  const set = source === null ? undefined : answer.source_set_comparison.sets[0];
  if (!set) {
    return {
      hero: answer.hero,
      sessions: sessionsIn(answer.hero.buckets),
      tiles: answer.context_tiles,
      distribution: answer.score_distribution,
      rules: answer.rule_attribution,
      harmful: answer.harmful_rules,
      partners: answer.partner_tiles,
    };
  }
  const hero: HeroBlock = {
    state: set.session_count === 0 ? 'empty' : answer.hero.state,
    regular_success_rate_pp: set.success_rate_pp,
    shadow_success_rate_pp: null,
    delta_pp: null,
    buckets: set.buckets,
    ci95: set.ci95 ?? null,
  };
  return {
    hero,
    sessions: set.session_count,
    tiles: set.context_tiles,
    distribution: set.score_distribution,
    rules: set.rule_attribution,
    harmful: set.harmful_rules,
    partners: set.partner_tiles,
  };
}

export function ruleSides(scope: Scope): { helped: RuleAttributionRow[]; hurt: RuleAttributionRow[] } {
  const all = new Map<string, RuleAttributionRow>();
  for (const row of [...scope.rules, ...scope.harmful]) all.set(`${row.kind}:${row.rule_id}`, row);
  const rows = [...all.values()];
  return {
    helped: rows.filter((row) => row.net_sessions > 0),
    hurt: rows.filter((row) => row.net_sessions < 0).sort((a, b) => a.net_sessions - b.net_sessions),
  };
}
