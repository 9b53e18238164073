/** The evaluation overview. */
import type * as G from '../generated';
import type { Interval } from './interval';
import type { Narrow } from './narrow';
import type { AgentSuccessEvaluationResult, LearningKind } from './results';

export type Bucket = 'hour' | 'day' | 'week';
export type SourceSetRequest = G.EvaluationSourceSetRequest;
export type OverviewRequest = Narrow<G.GetEvaluationOverviewRequest, { bucket?: Bucket }>;

export type HeroBucket = Narrow<G.HeroBucket, { shadow_rate: number | null; ci95: Interval | null }>;

export type HeroBlock = Narrow<
  G.HeroBlock,
  {
    state: 'empty' | 'shadow_off' | 'early' | 'full';
    shadow_success_rate_pp: number | null;
    delta_pp: number | null;
    ci95: Interval | null;
    buckets: HeroBucket[];
  }
>;

export type RateTile = Narrow<G.RateTileRecord, { ci95: Interval | null; delta_ci95: Interval | null }>;
export type MeanTile = Narrow<G.MeanTileRecord, { delta_ci95: Interval | null }>;
export type BehaviorTile = Narrow<
  G.BehaviorTileRecord,
  { current: number | null; delta_pp: number | null; ci95: Interval | null; delta_ci95: Interval | null }
>;

export type ContextTile = Narrow<
  G.ContextTile,
  { success: RateTile; corrections: MeanTile; turns: MeanTile; escalation: RateTile; behavior_success: BehaviorTile }
>;

export type ScoreDistribution = G.ScoreDistribution;
export type RuleAttributionRow = Narrow<G.RuleAttributionRow, { kind: LearningKind }>;
export type PartnerTileRow = G.PartnerTileRow;
export type ShadowDay = G.ShadowWinRateTrendPoint;
export type ShadowTotal = Narrow<G.ShadowWinRateTrendWindowTotal, { ci95: Interval | null }>;
export type ShadowWinRateTrend = Narrow<G.ShadowWinRateTrend, { window_total: ShadowTotal }>;

export type SourceSetMetrics = Narrow<
  G.SourceSetEvaluationMetrics,
  {
    buckets: HeroBucket[];
    context_tiles: ContextTile;
    rule_attribution: RuleAttributionRow[];
    harmful_rules: RuleAttributionRow[];
    ci95: Interval | null;
  }
>;

export type SourceSetComparison = Narrow<G.SourceSetComparison, { sets: SourceSetMetrics[] }>;

export type OverviewResponse = Narrow<
  G.GetEvaluationOverviewResponse,
  {
    hero: HeroBlock;
    context_tiles: ContextTile;
    rule_attribution: RuleAttributionRow[];
    harmful_rules: RuleAttributionRow[];
    shadow_win_rate_trend: ShadowWinRateTrend;
    recent_results: AgentSuccessEvaluationResult[];
    source_set_comparison: SourceSetComparison;
  }
>;
