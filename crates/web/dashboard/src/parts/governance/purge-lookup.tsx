/** Looks up an erasure by its own id, which tells nothing about the user. */
import { useState } from 'preact/hooks';
import { purgeStatus } from '../../api/calls';
import type { PurgeStatus } from '../../api/types';
import { usePolling, useQuery } from '../../api/use-query';
import { useNavigation, withQuery } from '../../app/router';
import { sentence } from '../../format/names';
import { moment } from '../../format/time';
import { Badge, Card, Facts, Field, Notice, type Tone } from '../../ui/parts';
import { Loaded, Nothing } from '../../ui/states';
import { EraseProgress } from './progress';

export function PurgeLookup() {
  const { place, go } = useNavigation();
  const id = place.query.get('purge');
  const [typed, setTyped] = useState(id ?? '');
  const query = useQuery(id, (signal) => purgeStatus(id ?? '', signal));
  const open = query.data?.status === 'pending' || query.data?.status === 'running';
  usePolling(open, 2_000, query.reload);
  const submit = (event: Event) => {
    event.preventDefault();
    go(withQuery(place, { purge: typed.trim() }));
  };
  return (
    <div class="stack">
      <Card title="Look up an erasure">
        <form class="stack" onSubmit={submit}>
          <Field label="Erasure id" hint="It begins with purge_ and stands on the receipt.">
            {(ids) => <input {...ids} type="text" spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />}
          </Field>
          <div>
            <button type="submit" class="primary">
              Look up
            </button>
          </div>
        </form>
      </Card>
      {id === null && <Nothing cause="No erasure is chosen." action={<span>Enter the id from a receipt above.</span>} />}
      {id !== null && query.failure?.kind === 'missing' && (
        <Nothing cause="No erasure has this id." detail="It may belong to another organization." action={<span>Check the id on the receipt.</span>} />
      )}
      {id !== null && query.failure?.kind !== 'missing' && (
        <Loaded query={{ ...query, busy: false }} what="the erasure">{(status) => <Status status={status} />}</Loaded>
      )}
    </div>
  );
}

const tones: Record<PurgeStatus['status'], Tone> = { pending: 'plain', running: 'info', complete: 'good', failed: 'bad' };

function Status({ status }: { status: PurgeStatus }) {
  return (
    <>
      <EraseProgress status={status} />
      <Card title="Details" actions={<Badge tone={tones[status.status]}>{sentence(status.status)}</Badge>}>
        {status.error_code && <Notice tone="bad">{`${status.error_detail ?? 'No detail was given.'} (${status.error_code})`}</Notice>}
        <Facts
          rows={[
            ['Subject reference', <code>{status.subject_ref}</code>],
            ['Request reference', <code>{status.request_ref}</code>],
            ['Requested', moment(status.created_at)],
            ['Last change', moment(status.updated_at)],
            ['Completed', status.completed_at === null ? 'not yet' : moment(status.completed_at)],
          ]}
        />
      </Card>
    </>
  );
}
