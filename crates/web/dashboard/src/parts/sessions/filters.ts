/** The filters of the session list, as the address holds them. */
import type { AgentSuccessEvaluationResult, ResultsRequest } from '../../api/types';
import type { View } from '../../app/window';

export interface Filters {
  outcome: 'success' | 'failure' | null;
  failure: string | null;
  escalated: boolean;
  user: string | null;
  cursor: string | null;
  before: number | null;
}

export const PAGE = 100;

export function readFilters(query: URLSearchParams): Filters {
  const outcome = query.get('outcome');
  const before = Number(query.get('before'));
  return {
    outcome: outcome === 'success' || outcome === 'failure' ? outcome : null,
    failure: query.get('failure') || null,
    escalated: query.get('escalated') === 'yes',
    user: query.get('user')?.trim() || null,
    cursor: query.get('cursor') || null,
    before: Number.isInteger(before) && before > 0 ? before : null,
  };
}

/** What to ask: the time window always, the rest for a server that filters, so that a page is full. */
export function asRequest(filters: Filters, view: View): ResultsRequest {
  return {
    limit: PAGE,
    start_time: view.from,
    end_time: Math.min(view.to, filters.before ?? view.to),
    ...(view.agent === null ? {} : { agent_version: view.agent }),
    ...(view.source === null ? {} : { source: view.source }),
    ...(filters.outcome === null ? {} : { is_success: filters.outcome === 'success' }),
    ...(filters.failure === null ? {} : { failure_type: filters.failure }),
    ...(filters.escalated ? { is_escalated: true } : {}),
    ...(filters.user === null ? {} : { user_id: filters.user }),
    ...(filters.cursor === null ? {} : { cursor: filters.cursor }),
  };
}

/** Whether a row fits; the server may have filtered already, then this keeps everything. */
export function fits(row: AgentSuccessEvaluationResult, filters: Filters, view: View): boolean {
  return (
    (filters.outcome === null || row.is_success === (filters.outcome === 'success')) &&
    (filters.failure === null || row.failure_type === filters.failure) &&
    (!filters.escalated || row.is_escalated === true) &&
    (filters.user === null || row.user_id === filters.user) &&
    (view.source === null || row.source === undefined || row.source === view.source) &&
    (view.agent === null || row.agent_version === view.agent)
  );
}

/** Where the next page begins: the server's own mark, or else the time of the last row; null at the end. */
export function nextPage(rows: AgentSuccessEvaluationResult[], cursor: string | undefined, end: number): Record<string, string | null> | null {
  if (cursor) return { cursor, before: null };
  const last = rows.at(-1);
  if (!last || rows.length < PAGE) return null;
  const before = last.created_at < end ? last.created_at : end - 1;
  return { before: String(before), cursor: null };
}
