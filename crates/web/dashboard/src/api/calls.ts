/** One function per call of the service that the pages make. */
import { call, get, post, type Answer } from './client';
import type * as G from './generated';
import type * as T from './types';

type Signal = AbortSignal | undefined;

export const whoAmI = (signal?: Signal) => get<T.WhoAmI>('/api/auth/session', signal);
export const signIn = (token: string) => call<null>('POST', '/api/auth/session', { body: { token } });
export const signOut = () => call<null>('DELETE', '/api/auth/session');

export const overview = (request: T.OverviewRequest, signal?: Signal) =>
  post<T.OverviewResponse>('/api/get_evaluation_overview', request, signal);
export const results = (request: T.ResultsRequest, signal?: Signal) =>
  post<T.ResultsResponse>('/api/get_agent_success_evaluation_results', request, signal);
export const learningResults = (request: { user_id: string; session_id: string; limit: number }, signal?: Signal) =>
  post<T.LearningResultsResponse>('/api/get_retrieved_learning_evaluation_results', request, signal);

/** The newest verdicts of the pinned rubric, optionally of one session only. */
export function recentVerdicts(limit: number, session?: { user_id: string; session_id: string }, signal?: Signal) {
  const query = new URLSearchParams({ limit: String(limit), ...session });
  return get<T.ShadowRecentResponse>(`/api/evaluations/shadow_comparisons/recent?${query}`, signal);
}

export const grade = (request: { session_id: string; user_id: string; agent_version: string }) =>
  call<T.GradeResponse>('POST', '/api/evaluations/grade_on_demand', { body: request, timeLimit: 120_000 });

const replay = '/api/evaluations/regenerate';
export const startReplay = (window: { from_ts: number; to_ts: number }) => post<T.RegenerateStart>(replay, window);
export const previewReplay = (window: { from_ts: number; to_ts: number }, signal?: Signal) =>
  post<T.RegeneratePreview>(`${replay}/preview`, window, signal);
export const replayStatus = (id: string, signal?: Signal) => get<T.RegenerateStatus>(`${replay}/${encodeURIComponent(id)}`, signal);
/** The newest replays, or those behind a page's end. */
export const replayJobs = (cursor: string | null, signal?: Signal) =>
  get<T.JobListResponse>(cursor === null ? replay : `${replay}?${new URLSearchParams({ cursor })}`, signal);
export const cancelReplay = (id: string) => call<T.RegenerateStatus>('DELETE', `${replay}/${encodeURIComponent(id)}`);

const trials = '/api/retrieval_experiments';
export const experiments = (signal?: Signal) => get<T.ExperimentListResponse>(trials, signal);
export const startExperiment = (request: { experiment_id: string; holdout_percentage: number }) =>
  post<T.ExperimentListResponse>(trials, request);
export const stopExperiment = (experiment_id: string) => post<T.ExperimentListResponse>(`${trials}/stop`, { experiment_id });
export const experimentResults = (id: string, signal?: Signal) =>
  get<T.ExperimentResults>(`${trials}/${encodeURIComponent(id)}/results`, signal);

export const requests = (query: G.GetRequestsRequest, signal?: Signal) => post<T.RequestsResponse>('/api/get_requests', query, signal);

/** The learnings that a session's verdicts may name, so that a row can show words instead of a number. */
export async function learningTexts(user_id: string, signal?: Signal): Promise<Map<string, string>> {
  const [profiles, own, shared] = await Promise.all([
    post<G.GetProfilesResponse>('/api/get_profiles', { user_id, top_k: 100 }, signal),
    post<G.GetUserPlaybooksResponse>('/api/get_user_playbooks', { user_id, limit: 100 }, signal),
    post<G.GetAgentPlaybooksResponse>('/api/get_agent_playbooks', { limit: 100 }, signal),
  ]);
  const texts = new Map<string, string>();
  for (const row of profiles.user_profiles) texts.set(`profile:${row.profile_id}`, row.content);
  for (const row of own.user_playbooks) texts.set(`user_playbook:${row.user_playbook_id}`, row.playbook_name || row.content);
  for (const row of shared.agent_playbooks) texts.set(`agent_playbook:${row.agent_playbook_id}`, row.playbook_name || row.content);
  return texts;
}

const governance = '/api/governance';
export type Ticket = G.TicketRequest;
export const previewErase = (user_id: string) => post<T.ErasePreview>(`${governance}/erase-preview`, { user_id });
export const erase = (ticket: Ticket): Promise<Answer<T.EraseResponse>> =>
  call<T.EraseResponse>('POST', `${governance}/erase-user`, { body: ticket, timeLimit: 60_000 });
export const exportUser = (ticket: Ticket) =>
  call<T.ExportResponse>('POST', `${governance}/export-user`, { body: ticket, timeLimit: 600_000 });
export const purgeStatus = (id: string, signal?: Signal) =>
  get<T.PurgeStatus>(`${governance}/purge-operations/${encodeURIComponent(id)}`, signal);

export const config = (signal?: Signal) => get<T.OrgConfig>('/api/get_config', signal);
export const system = (signal?: Signal) => get<T.SystemStatus>('/api/system', signal);
export const health = (path: '/healthz' | '/readyz', signal?: Signal) => get<unknown>(path, signal);
