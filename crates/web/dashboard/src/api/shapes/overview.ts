/** The evaluation overview. */
import type { Interval } from './interval';
import type { AgentSuccessEvaluationResult, LearningKind } from './results';

export type Bucket = 'hour' | 'day' | 'week';

export interface SourceSetRequest {
  label: string;
  sources: string[];
}

export interface OverviewRequest {
  from_ts: number;
  to_ts: number;
  bucket?: Bucket;
  include_shadow?: boolean;
  include_sessions?: boolean;
  source_sets?: SourceSetRequest[];
  agent_version?: string;
}

export interface HeroBucket {
  ts: number;
  regular_rate: number;
  shadow_rate: number | null;
  regular_n: number;
  shadow_n: number;
  avg_corrections: number;
  escalation_rate: number;
  ci95?: Interval | null;
}

export interface HeroBlock {
  state: 'empty' | 'shadow_off' | 'early' | 'full';
  regular_success_rate_pp: number;
  shadow_success_rate_pp: number | null;
  delta_pp: number | null;
  buckets: HeroBucket[];
  ci95?: Interval | null;
}

export interface RateTile {
  current: number;
  delta_pp: number;
  ci95?: Interval | null;
  delta_ci95?: Interval | null;
}

export interface MeanTile {
  current: number;
  delta: number;
  delta_ci95?: Interval | null;
}

export interface BehaviorTile {
  current: number | null;
  delta_pp: number | null;
  eligible_sessions: number;
  excluded_system_errors: number;
  ci95?: Interval | null;
  delta_ci95?: Interval | null;
}

export interface ContextTile {
  success: RateTile;
  corrections: MeanTile;
  turns: MeanTile;
  escalation: RateTile;
  behavior_success: BehaviorTile;
  baseline_sessions?: number;
  current_sessions?: number;
}

export interface ScoreDistribution {
  labels: string[];
  current_bins: number[];
  baseline_bins: number[];
}

export interface RuleAttributionRow {
  rule_id: string;
  kind: LearningKind;
  title: string;
  successes_with: number;
  failures_with: number;
  net_sessions: number;
  cited_session_ids: string[];
}

export interface PartnerTileRow {
  scorer_name: string;
  current: number;
  n: number;
  delta: number;
}

export interface ShadowDay {
  date: string;
  n: number;
  wins: number;
  losses: number;
  ties: number;
}

export interface ShadowTotal {
  n: number;
  wins: number;
  losses: number;
  ties: number;
  win_rate: number;
  net_win: number;
  ci95?: Interval | null;
}

export interface ShadowWinRateTrend {
  daily: ShadowDay[];
  window_total: ShadowTotal;
  judge_prompt_version: string;
}

export interface SourceSetMetrics {
  label: string;
  sources: string[];
  session_count: number;
  session_ids?: string[];
  success_rate_pp: number;
  buckets: HeroBucket[];
  context_tiles: ContextTile;
  score_distribution: ScoreDistribution;
  rule_attribution: RuleAttributionRow[];
  partner_tiles?: PartnerTileRow[];
  ci95?: Interval | null;
}

export interface SourceSetComparison {
  available_sources: string[];
  source_sessions: { source: string; session_ids: string[]; sessions: { user_id: string; session_id: string }[] }[];
  sets: SourceSetMetrics[];
  unmatched_session_count: number;
}

export interface OverviewResponse {
  hero: HeroBlock;
  context_tiles: ContextTile;
  rule_attribution: RuleAttributionRow[];
  harmful_rules?: RuleAttributionRow[];
  score_distribution: ScoreDistribution;
  partner_tiles?: PartnerTileRow[];
  shadow_win_rate_trend?: ShadowWinRateTrend;
  recent_results?: AgentSuccessEvaluationResult[];
  source_set_comparison?: SourceSetComparison;
  available_agent_versions?: string[];
}
