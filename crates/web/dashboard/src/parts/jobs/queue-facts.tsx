/** The queue of sessions that wait to be judged. */
import type { QueueStatus } from '../../api/types';
import { count } from '../../format/number';
import { duration } from '../../format/time';
import { Facts } from '../../ui/parts';

/** A session is due some minutes after its last turn, so the earliest may lie ahead. */
function earliest(due: number | null, now: number): string {
  if (due === null) return 'nothing waits';
  return due > now ? `due in ${duration(due - now)}` : `due since ${duration(now - due)}`;
}

export function QueueFacts({ queue }: { queue: QueueStatus }) {
  return (
    <Facts
      rows={[
        ['Waiting', count(queue.waiting)],
        ['Being judged', count(queue.running)],
        ['Waiting for another try', count(queue.retrying)],
        ['Given up in the last 24 hours', count(queue.failed_24h)],
        ['Earliest', earliest(queue.oldest_due_at, Date.now() / 1000)],
      ]}
    />
  );
}
