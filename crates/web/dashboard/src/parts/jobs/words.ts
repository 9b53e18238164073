/** What a replay's numbers mean: its progress, the time left, and its failures by reason. */
import type { JobState, RegenerateStatus } from '../../api/types';
import { count, counted } from '../../format/number';
import { duration } from '../../format/time';
import type { Tone } from '../../ui/parts';

export const jobTones: Record<JobState, Tone> = { queued: 'plain', running: 'info', completed: 'good', cancelled: 'warn', failed: 'bad' };

export const isLive = (job: RegenerateStatus): boolean => job.status === 'queued' || job.status === 'running';

/** 40 of 120 sessions done, 2 of them failed; about 3 minutes left. */
export function progressInWords(job: RegenerateStatus, now: number): string {
  const done = job.completed + job.failed;
  if (job.total === 0) return isLive(job) ? 'Counting the sessions of the window…' : 'The window held no session to judge.';
  const failed = job.failed > 0 ? `, ${count(job.failed)} of them failed` : '';
  return `${count(done)} of ${counted(job.total, 'session')} done${failed}${timeLeft(job, done, now)}.`;
}

function timeLeft(job: RegenerateStatus, done: number, now: number): string {
  const elapsed = now - job.started_at;
  if (!isLive(job) || done === 0 || done >= job.total || elapsed <= 0) return '';
  return `; about ${duration(((job.total - done) * elapsed) / done)} left`;
}

export interface FailureGroup {
  reason: string;
  sessions: FailedSession[];
}

type FailedSession = RegenerateStatus['failures'][number];

/** Failures by reason, the most frequent first. */
export function grouped(failures: RegenerateStatus['failures']): FailureGroup[] {
  const groups = new Map<string, FailedSession[]>();
  for (const failure of failures) groups.set(failure.reason, [...(groups.get(failure.reason) ?? []), failure]);
  return [...groups].map(([reason, sessions]) => ({ reason, sessions })).sort((a, b) => b.sessions.length - a.sessions.length);
}
