/** The filters of the session list, as the address holds them. */
import type { ResultsRequest } from '../../api/types';
import type { View } from '../../app/window';

export interface Filters {
  outcome: 'success' | 'failure' | null;
  failure: string | null;
  escalated: boolean;
  user: string | null;
  cursor: string | null;
}

export const PAGE = 100;

export function readFilters(query: URLSearchParams): Filters {
  const outcome = query.get('outcome');
  return {
    outcome: outcome === 'success' || outcome === 'failure' ? outcome : null,
    failure: query.get('failure') || null,
    escalated: query.get('escalated') === 'yes',
    user: query.get('user')?.trim() || null,
    cursor: query.get('cursor') || null,
  };
}

/** What to ask: the time window always, the rest where something is chosen. */
export function asRequest(filters: Filters, view: View): ResultsRequest {
  return {
    limit: PAGE,
    start_time: view.from,
    end_time: view.to,
    ...(view.agent === null ? {} : { agent_version: view.agent }),
    ...(view.source === null ? {} : { source: view.source }),
    ...(filters.outcome === null ? {} : { is_success: filters.outcome === 'success' }),
    ...(filters.failure === null ? {} : { failure_type: filters.failure }),
    ...(filters.escalated ? { is_escalated: true } : {}),
    ...(filters.user === null ? {} : { user_id: filters.user }),
    ...(filters.cursor === null ? {} : { cursor: filters.cursor }),
  };
}
