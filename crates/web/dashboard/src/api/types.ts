/** The JSON shapes of the service; the one file of shapes that the rest imports, so that a generated one can take its place. */

export type Interval = [number, number];

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: { loc: (string | number)[] | string; msg: string }[];
}

export interface WhoAmI {
  org_id: string;
  kind: string;
  permissions: string[];
  expires_at: number | null;
}

export type RegularVsShadow =
  | 'regular_is_better'
  | 'regular_is_slightly_better'
  | 'shadow_is_better'
  | 'shadow_is_slightly_better'
  | 'tied';

export interface AgentSuccessEvaluationResult {
  result_id: number;
  user_id?: string;
  agent_version: string;
  session_id: string;
  is_success: boolean;
  failure_type?: string;
  failure_reason?: string;
  evaluation_name?: string;
  created_at: number;
  regular_vs_shadow?: RegularVsShadow;
  number_of_correction_per_session?: number;
  user_turns_to_resolution?: number;
  is_escalated?: boolean;
  tags?: string[] | null;
  source?: string;
  judge_prompt_version?: string;
  judge?: string;
  judged_at?: number;
}

export interface ResultsRequest {
  agent_version?: string;
  limit?: number;
  start_time?: number;
  end_time?: number;
  user_id?: string;
  session_id?: string;
  source?: string;
  is_success?: boolean;
  failure_type?: string;
  is_escalated?: boolean;
  cursor?: string;
}

export interface ResultsResponse {
  success: boolean;
  agent_success_evaluation_results: AgentSuccessEvaluationResult[];
  msg?: string;
  next_cursor?: string;
}

export type LearningKind = 'profile' | 'user_playbook' | 'agent_playbook';
export type DiagnosisCategory = 'content_defect' | 'application_failure' | 'external_failure' | 'no_issue' | 'unknown';

export interface PlaybookDiagnosis {
  category: DiagnosisCategory;
  reason: string;
  evidence_interaction_ids: number[];
}

export interface RetrievedLearningEvaluationResult {
  result_id: number;
  user_id: string;
  session_id: string;
  agent_version?: string;
  interaction_id: number | null;
  interaction_created_at: number | null;
  kind: LearningKind;
  learning_id: string;
  is_relevant: boolean | null;
  relevance_reason?: string;
  impact: 'positive' | 'negative' | 'neutral' | null;
  impact_reason?: string;
  diagnosis: PlaybookDiagnosis | null;
  evaluated_playbook_digest: string | null;
  diagnosis_evidence_complete?: boolean;
  created_at: number;
}

export interface LearningResultsResponse {
  success: boolean;
  results: RetrievedLearningEvaluationResult[];
  msg?: string;
}

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

export interface ShadowVerdict {
  verdict_id: number;
  interaction_id: string;
  session_id: string;
  user_id?: string;
  agent_version: string;
  service_is_request_1: boolean;
  output: { better_request: '1' | '2' | 'tie'; is_significantly_better: boolean; comparison_reason?: string };
  judge_prompt_version: string;
  created_at: string;
}

export interface ShadowRecentResponse {
  verdicts: ShadowVerdict[];
}

export interface RegenerateStart {
  job_id: string;
  total: number;
}

export type JobState = 'queued' | 'running' | 'completed' | 'cancelled' | 'failed';

export interface RegenerateStatus {
  job_id: string;
  status: JobState;
  total: number;
  completed: number;
  failed: number;
  failures: { session_id: string; reason: string }[];
  started_at: number;
  finished_at?: number;
  total_candidates?: number;
  sampled_count?: number;
  concurrency_limit?: number;
}

export interface RegeneratePreview {
  total_candidates: number;
  sampled_count: number;
  concurrency_limit: number;
  estimated_seconds: number | null;
}

export interface JobListResponse {
  jobs: RegenerateStatus[];
}

export interface QueueStatus {
  waiting: number;
  due: number;
  running: number;
  failed: number;
  oldest_due_at: number | null;
}

export interface GradeResponse {
  session_id: string;
  result_id?: number;
  cached?: boolean;
  skipped_reason?: string;
  retrieved_learning_status?: 'complete' | 'degraded' | 'failed' | 'not_applicable' | 'skipped';
}

export interface ExperimentRecord {
  experiment_id: string;
  holdout_percentage: number;
  started_at: number;
  ended_at: number | null;
}

export interface ExperimentListResponse {
  active_experiment: ExperimentRecord | null;
  experiments: ExperimentRecord[];
}

export interface ArmMetrics {
  arm: 'treatment' | 'holdout';
  assigned_user_count: number;
  published_session_count: number;
  evaluated_user_count: number;
  evaluated_session_count: number;
  success_rate: number | null;
  average_corrections: number | null;
  average_turns_to_resolution: number | null;
  escalation_rate: number | null;
  average_output_tokens: number | null;
  output_token_session_count: number;
}

export interface HealthFinding {
  code: string;
  severity: string;
  message: string;
  value: number | null;
}

export interface ExperimentResults {
  experiment: ExperimentRecord;
  treatment: ArmMetrics;
  holdout: ArmMetrics;
  success_rate_lift_percentage_points: number | null;
  relative_success_lift: number | null;
  confidence_interval_95_percentage_points: Interval | null;
  evaluated_session_coverage: number | null;
  unattributed_evaluated_session_count: number;
  interval_method?: string;
  cluster_robust?: {
    standard_error_percentage_points: number;
    degrees_of_freedom: number;
    interval_95_percentage_points: Interval;
  } | null;
  health?: HealthFinding[];
}

export interface Interaction {
  interaction_id: number;
  user_id: string;
  request_id: string;
  created_at: number;
  role: string;
  content?: string;
  shadow_content?: string;
  expert_content?: string;
  user_action?: string;
  user_action_description?: string;
  tools_used?: { tool_name: string; tool_data?: unknown; status?: string }[];
  citations?: { kind: LearningKind; real_id: string; tag?: string; title?: string }[];
  retrieved_learnings?: { kind: LearningKind; learning_id: string }[];
}

export interface PublishedRequest {
  request_id: string;
  user_id: string;
  created_at: number;
  source?: string;
  agent_version?: string;
  session_id?: string;
  retrieval_experiment_id?: string | null;
  retrieval_experiment_arm?: string | null;
}

export interface PublishedSession {
  session_id: string;
  requests: { request: PublishedRequest; interactions: Interaction[] }[];
}

export interface RequestsResponse {
  success: boolean;
  sessions: PublishedSession[];
  has_more?: boolean;
  msg?: string;
}

export interface LearningText {
  profile_id?: string;
  user_playbook_id?: number;
  agent_playbook_id?: number;
  playbook_name?: string;
  content?: string;
}

export type PurgeState = 'pending' | 'running' | 'complete' | 'failed';

export interface PurgeStatus {
  purge_id: string;
  subject_ref: string;
  request_ref: string;
  status: PurgeState;
  error_code: string | null;
  error_detail: string | null;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
}

export interface EraseResponse extends PurgeStatus {
  deleted_counts?: Record<string, number>;
  unlinked_agent_playbook_ids?: number[];
}

export interface ErasePreview {
  subject_ref: string;
  counts: Record<string, number>;
  linked_agent_playbook_count: number;
  barrier: 'open' | 'erasing' | 'erased';
}

export interface ExportResponse {
  subject_ref: string;
  export_id: string;
  bundle: Record<string, unknown[]>;
}

export interface OrgConfig {
  shadow_comparison_judge_prompt_version?: string;
  group_evaluation_delay_seconds?: number;
  sampling_rate?: number;
  retrieved_learning_sampling_rate?: number | null;
  evaluation_only_sampling_rate?: number | null;
  eval_sample_n_per_stratum?: number;
  eval_concurrency_limit?: number;
  shadow_mode_enabled?: boolean;
  success_definition?: string | null;
  agent_context?: string | null;
  tools?: unknown;
  judge?: { provider?: string; base_url?: string; model?: string } | null;
}

export interface SystemStatus {
  version: string;
  storage: { kind: string; ready: boolean; migration?: string };
  judge: { provider: string; model?: string | null; is_heuristic: boolean; prompt_versions?: Record<string, string> };
  queue: QueueStatus;
  shadow_supported?: boolean;
  started_at?: number;
}
