/** Judged sessions and judged learnings. */
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

export interface GradeResponse {
  session_id: string;
  result_id?: number;
  cached?: boolean;
  skipped_reason?: string;
  retrieved_learning_status?: 'complete' | 'degraded' | 'failed' | 'not_applicable' | 'skipped';
}
