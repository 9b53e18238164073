/** Words for the codes of the service. */
import type { AgentSuccessEvaluationResult, LearningKind, RegularVsShadow } from '../api/types';

const failures: Record<string, string> = {
  system_error: 'System error',
  missing_tool: 'Missing tool',
  wrong_tool: 'Wrong tool',
  insufficient_info_from_tool: 'Too little from a tool',
  wrong_answer: 'Wrong answer',
};
export const failureTypes = Object.keys(failures);
export const failureName = (code: string | undefined): string => (code ? failures[code] ?? sentence(code) : 'No type given');

const kinds: Record<LearningKind, string> = {
  profile: 'Profile',
  user_playbook: 'User playbook',
  agent_playbook: 'Agent playbook',
};
export const kindName = (kind: LearningKind): string => kinds[kind] ?? sentence(kind);

const diagnoses: Record<string, string> = {
  content_defect: 'The playbook itself is at fault',
  application_failure: 'The playbook was applied wrongly',
  external_failure: 'Something outside failed',
  no_issue: 'No issue found',
  unknown: 'Cause unknown',
};
export const diagnosisName = (code: string): string => diagnoses[code] ?? sentence(code);

const verdicts: Record<RegularVsShadow, string> = {
  regular_is_better: 'Service clearly better',
  regular_is_slightly_better: 'Service slightly better',
  shadow_is_better: 'Shadow clearly better',
  shadow_is_slightly_better: 'Shadow slightly better',
  tied: 'Tied',
};
export const comparisonName = (code: RegularVsShadow): string => verdicts[code];

/** A source by its name; the empty one by what it means. */
export const sourceName = (source: string): string => (source === '' ? '(no source)' : source);
export const versionName = (version: string | undefined): string => version || '(no version)';

/** Success or failure and, if failed, why. */
export function outcomeName(result: AgentSuccessEvaluationResult): string {
  return result.is_success ? 'Success' : `Failure: ${failureName(result.failure_type)}`;
}

/** snake_case to a readable phrase. */
export function sentence(code: string): string {
  const words = code.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
