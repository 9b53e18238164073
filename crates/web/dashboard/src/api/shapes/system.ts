/** Configuration and state of the server. */
import type { QueueStatus } from './jobs';

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
  started_at: number;
  storage: { kind: string; ready: boolean };
  judge: { kind: string; model: string | null; prompt_version: string; reachable: boolean; trouble: string | null };
  queue: QueueStatus;
  shadow_supported: boolean;
}
