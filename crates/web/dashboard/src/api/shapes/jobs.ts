/** Replays of the judge, and the queue. */
export interface RegenerateStart {
  job_id: string;
  total: number;
}

export type JobState = 'queued' | 'running' | 'completed' | 'cancelled' | 'failed';

export interface RegenerateStatus {
  job_id: string;
  status: JobState;
  total: number;
  completed: number;
  failed: number;
  failures: { session_id: string; user_id?: string; reason: string }[];
  started_at: number;
  finished_at?: number;
  total_candidates?: number;
  sampled_count?: number;
  concurrency_limit?: number;
}

export interface RegeneratePreview {
  total_candidates: number;
  sampled_count: number;
  concurrency_limit: number;
  estimated_seconds: number | null;
}

export interface JobListResponse {
  jobs: RegenerateStatus[];
}

export interface QueueStatus {
  waiting: number;
  running: number;
  retrying: number;
  failed_24h: number;
  oldest_due_at: number | null;
}
