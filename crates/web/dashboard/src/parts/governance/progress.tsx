/** The stages of an erasure, as far as its status tells them. */
import type { PurgeStatus } from '../../api/types';
import { Card } from '../../ui/parts';

const stages = [
  'The request is recorded.',
  'Writes about the user are barred and everything is deleted, piece by piece.',
  'A last look finds nothing left, and the audit entry is written.',
];

/** How many stages are behind, and whether the next one broke. */
export function stageOf(status: PurgeStatus | null): { done: number; broken: boolean } {
  switch (status?.status) {
    case 'complete':
      return { done: 3, broken: false };
    case 'running':
      return { done: 1, broken: false };
    case 'failed':
      return { done: 1, broken: true };
    default:
      return { done: 0, broken: false };
  }
}

export function EraseProgress({ status }: { status: PurgeStatus | null }) {
  const { done, broken } = stageOf(status);
  return (
    <Card title={done === 3 ? 'Erased' : broken ? 'Stopped' : 'Erasing…'} note={done < 3 && !broken ? 'Step 3 of 3. You may leave this page; the work goes on.' : undefined}>
      <ol class="steps" aria-live="polite">
        {stages.map((text, at) => (
          <li key={text} data-done={at < done ? '' : undefined} data-now={at === done && !broken ? '' : undefined} data-bad={at === done && broken ? '' : undefined}>
            {text}
          </li>
        ))}
      </ol>
      {status && (
        <p class="soft">
          Erasure <code>{status.purge_id}</code>
        </p>
      )}
    </Card>
  );
}
