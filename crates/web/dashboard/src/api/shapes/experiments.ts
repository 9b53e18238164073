/** Retrieval experiments. */
import type * as G from '../generated';
import type { Interval } from './interval';
import type { Narrow } from './narrow';

export type ExperimentRecord = Narrow<G.RetrievalExperimentRecord, { ended_at: number | null }>;

export type ExperimentListResponse = Narrow<
  G.RetrievalExperimentListResponse,
  { active_experiment: ExperimentRecord | null; experiments: ExperimentRecord[] }
>;

export type ArmMetrics = Narrow<
  G.RetrievalExperimentArmMetrics,
  {
    arm: 'treatment' | 'holdout';
    success_rate: number | null;
    average_corrections: number | null;
    average_turns_to_resolution: number | null;
    escalation_rate: number | null;
    average_output_tokens: number | null;
  }
>;

export type HealthFinding = G.HealthFinding;

export type ExperimentResults = Narrow<
  G.RetrievalExperimentResultsResponse,
  {
    experiment: ExperimentRecord;
    treatment: ArmMetrics;
    holdout: ArmMetrics;
    success_rate_lift_percentage_points: number | null;
    relative_success_lift: number | null;
    confidence_interval_95_percentage_points: Interval | null;
    evaluated_session_coverage: number | null;
    cluster_robust: Narrow<G.ClusterRobustInterval, { interval_95_percentage_points: Interval }> | null;
  }
>;
