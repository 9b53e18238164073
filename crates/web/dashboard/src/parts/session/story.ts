/** Puts the requests of one session into the order in which they happened. */
import type { Interaction, PublishedRequest, PublishedSession, RetrievedLearningEvaluationResult, ShadowVerdict } from '../../api/types';

export interface Story {
  user: string;
  session: string;
  source: string;
  agentVersion: string;
  firstAt: number;
  lastAt: number;
  requests: PublishedRequest[];
  turns: Interaction[];
  experiment: string | null;
  hasShadow: boolean;
}

/** Null when nothing of this session was published. The first request, by time and then id, gives the source. */
export function storyOf(sessions: PublishedSession[], user: string, session: string): Story | null {
  const parts = sessions
    .flatMap((each) => each.requests)
    .filter(({ request }) => request.user_id === user && (request.session_id || request.request_id) === session)
    .sort((a, b) => a.request.created_at - b.request.created_at || (a.request.request_id < b.request.request_id ? -1 : 1));
  const first = parts[0]?.request;
  const last = parts.at(-1)?.request;
  if (!first || !last) return null;
  const turns = parts.flatMap((part) => [...part.interactions].sort((a, b) => a.created_at - b.created_at || a.interaction_id - b.interaction_id));
  const tagged = parts.find(({ request }) => request.retrieval_experiment_id)?.request;
  return {
    user,
    session,
    source: first.source ?? '',
    agentVersion: last.agent_version ?? '',
    firstAt: first.created_at,
    lastAt: last.created_at,
    requests: parts.map(({ request }) => request),
    turns,
    experiment: tagged ? `${tagged.retrieval_experiment_id}, ${tagged.retrieval_experiment_arm}` : null,
    hasShadow: turns.some((turn) => Boolean(turn.shadow_content)),
  };
}

export const isUser = (turn: Interaction): boolean => turn.role.trim().toLowerCase() === 'user';

/** Whether the service's own response won a comparison. */
export function verdictOf(verdict: ShadowVerdict): 'win' | 'tie' | 'loss' {
  if (verdict.output.better_request === 'tie') return 'tie';
  return (verdict.output.better_request === '1') === verdict.service_is_request_1 ? 'win' : 'loss';
}

/** The verdicts that belong to one turn. */
export const learningsOf = (turn: Interaction, all: RetrievedLearningEvaluationResult[]): RetrievedLearningEvaluationResult[] =>
  all.filter((row) => row.interaction_id === turn.interaction_id);

export const shadowOf = (turn: Interaction, all: ShadowVerdict[]): ShadowVerdict | undefined =>
  all.find((verdict) => verdict.interaction_id === String(turn.interaction_id));
