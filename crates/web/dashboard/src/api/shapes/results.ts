/** Judged sessions and judged learnings. */
import type * as G from '../generated';
import type { Narrow } from './narrow';

export type RegularVsShadow =
  | 'regular_is_better'
  | 'regular_is_slightly_better'
  | 'shadow_is_better'
  | 'shadow_is_slightly_better'
  | 'tied';

/** What is left out when there is nothing is never null. */
export type AgentSuccessEvaluationResult = Narrow<
  G.AgentSuccessEvaluationResult,
  {
    regular_vs_shadow?: RegularVsShadow;
    user_turns_to_resolution?: number;
    tags: string[] | null;
    judge?: string;
    judge_prompt_version?: string;
  }
>;

export type ResultsRequest = G.GetAgentSuccessEvaluationResultsRequest;
export type ResultsResponse = Narrow<
  G.GetAgentSuccessEvaluationResultsResponse,
  { agent_success_evaluation_results: AgentSuccessEvaluationResult[]; next_cursor?: string }
>;

export type LearningKind = 'profile' | 'user_playbook' | 'agent_playbook';
export type DiagnosisCategory = 'content_defect' | 'application_failure' | 'external_failure' | 'no_issue' | 'unknown';
export type PlaybookDiagnosis = Narrow<G.PlaybookDiagnosis, { category: DiagnosisCategory }>;

export type RetrievedLearningEvaluationResult = Narrow<
  G.RetrievedLearningEvaluationResult,
  {
    interaction_id: number | null;
    interaction_created_at: number | null;
    kind: LearningKind;
    is_relevant: boolean | null;
    impact: 'positive' | 'negative' | 'neutral' | null;
    diagnosis: PlaybookDiagnosis | null;
    evaluated_playbook_digest: string | null;
  }
>;

export type LearningResultsResponse = Narrow<G.GetRetrievedLearningEvaluationResultsResponse, { results: RetrievedLearningEvaluationResult[] }>;

export type GradeResponse = Narrow<
  G.GradeOnDemandResponse,
  { retrieved_learning_status?: 'complete' | 'degraded' | 'failed' | 'not_applicable' | 'skipped' }
>;
