/** Export and erasure. */
export type PurgeState = 'pending' | 'running' | 'complete' | 'failed';

export interface PurgeStatus {
  purge_id: string;
  subject_ref: string;
  request_ref: string;
  status: PurgeState;
  error_code: string | null;
  error_detail: string | null;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
}

export interface EraseResponse extends PurgeStatus {
  deleted_counts?: Record<string, number>;
  unlinked_agent_playbook_ids?: number[];
}

export interface ErasePreview {
  subject_ref: string;
  counts: Record<string, number>;
  agent_playbook_ids: number[];
}

export interface ExportResponse {
  subject_ref: string;
  export_id: string;
  bundle: Record<string, unknown[]>;
}
