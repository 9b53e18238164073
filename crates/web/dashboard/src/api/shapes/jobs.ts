/** Replays of the judge, and the queue. */
import type * as G from '../generated';
import type { Narrow } from './narrow';

export type JobState = 'queued' | 'running' | 'completed' | 'cancelled' | 'failed';
export type RegenerateStart = G.RegenerateResponse;
export type RegeneratePreview = Narrow<G.RegeneratePreviewResponse, { estimated_seconds: number | null }>;
export type RegenerateStatus = Narrow<G.RegenerateStatusResponse, { status: JobState }>;
export type JobListResponse = Narrow<G.RegenerationsResponse, { jobs: RegenerateStatus[]; next_cursor?: string }>;
export type QueueStatus = Narrow<G.QueueRecord, { oldest_due_at: number | null }>;
