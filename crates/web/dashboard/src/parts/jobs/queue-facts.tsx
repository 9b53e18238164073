/** The queue of sessions that wait to be judged. */
import type { QueueStatus } from '../../api/types';
import { count } from '../../format/number';
import { ago } from '../../format/time';
import { Facts } from '../../ui/parts';

export function QueueFacts({ queue }: { queue: QueueStatus }) {
  return (
    <Facts
      rows={[
        ['Waiting for quiet', count(queue.waiting)],
        ['Due now', count(queue.due)],
        ['Being judged', count(queue.running)],
        ['Given up after 3 tries', count(queue.failed)],
        ['Oldest due', queue.oldest_due_at === null ? 'none is due' : ago(queue.oldest_due_at, Date.now() / 1000)],
      ]}
    />
  );
}
