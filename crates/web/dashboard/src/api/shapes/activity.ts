/** What was published, and what was learned. */
import type { LearningKind } from './results';

export interface Interaction {
  interaction_id: number;
  user_id: string;
  request_id: string;
  created_at: number;
  role: string;
  content?: string;
  shadow_content?: string;
  expert_content?: string;
  user_action?: string;
  user_action_description?: string;
  tools_used?: { tool_name: string; tool_data?: unknown; status?: string }[];
  citations?: { kind: LearningKind; real_id: string; tag?: string; title?: string }[];
  retrieved_learnings?: { kind: LearningKind; learning_id: string }[];
}

export interface PublishedRequest {
  request_id: string;
  user_id: string;
  created_at: number;
  source?: string;
  agent_version?: string;
  session_id?: string;
  retrieval_experiment_id?: string | null;
  retrieval_experiment_arm?: string | null;
}

export interface PublishedSession {
  session_id: string;
  requests: { request: PublishedRequest; interactions: Interaction[] }[];
}

export interface RequestsResponse {
  success: boolean;
  sessions: PublishedSession[];
  has_more?: boolean;
  msg?: string;
}

export interface LearningText {
  profile_id?: string;
  user_playbook_id?: number;
  agent_playbook_id?: number;
  playbook_name?: string;
  content?: string;
}
