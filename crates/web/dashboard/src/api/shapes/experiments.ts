/** Retrieval experiments. */
import type { Interval } from './interval';

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
