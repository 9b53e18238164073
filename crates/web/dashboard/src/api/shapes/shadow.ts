/** Verdicts of the shadow judge. */
export interface ShadowVerdict {
  verdict_id: number;
  interaction_id: string;
  session_id: string;
  user_id?: string;
  agent_version: string;
  service_is_request_1: boolean;
  output: { better_request: '1' | '2' | 'tie'; is_significantly_better: boolean; comparison_reason?: string };
  judge_prompt_version: string;
  created_at: string;
}

export interface ShadowRecentResponse {
  verdicts: ShadowVerdict[];
}
