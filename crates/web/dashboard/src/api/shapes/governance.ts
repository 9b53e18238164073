/** Export and erasure. */
import type * as G from '../generated';
import type { Narrow } from './narrow';

export type PurgeState = 'pending' | 'running' | 'complete' | 'failed';

export type PurgeStatus = Narrow<
  G.PurgeOperation,
  { status: PurgeState; error_code: string | null; error_detail: string | null; completed_at: number | null }
>;

/** Counts come only once it is complete; until then the answer is the bare status. */
export type EraseResponse = PurgeStatus & Partial<Pick<G.EraseResponse, 'deleted_counts' | 'unlinked_agent_playbook_ids'>>;
export type ErasePreview = G.PreviewResponse;
export type ExportResponse = G.ExportResponse;
