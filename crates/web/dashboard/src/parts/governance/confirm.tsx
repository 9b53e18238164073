/** What goes, what stays, and the typing of the user id that makes it real. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Ticket } from '../../api/calls';
import type { ErasePreview } from '../../api/types';
import { sentence } from '../../format/names';
import { count, counted } from '../../format/number';
import { Card, Field, Notice } from '../../ui/parts';
import { Table } from '../../ui/table';

interface ConfirmProps {
  ticket: Ticket;
  preview: ErasePreview | null;
  onConfirm: () => void;
  onBack: () => void;
}

export function ConfirmErase({ ticket, preview, onConfirm, onBack }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState(false);
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => top.current?.focus(), []);
  const matches = typed === ticket.user_id;
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (matches) onConfirm();
  };
  return (
    <div class="stack" ref={top} tabIndex={-1}>
      <Card title="What would be erased" note="Step 2 of 3. Still nothing is deleted.">
        <Goes preview={preview} />
      </Card>
      <Card title="What stays">
        <ul class="bullets">
          <li>{stays(preview)}</li>
          <li>An audit entry with references and counts, without the user id.</li>
          <li>A lasting bar: nothing can be written about this user again.</li>
        </ul>
      </Card>
      <Card title="Confirm">
        <form class="stack" onSubmit={submit} autocomplete="off">
          <Field label="Type the user id to erase it" error={tried && !matches ? 'This is not the user id of the request.' : null} hint="This cannot be undone.">
            {(ids) => <input {...ids} type="text" autocomplete="off" spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />}
          </Field>
          <div class="row">
            <button type="submit" class="danger">
              Erase this user
            </button>
            <button type="button" onClick={onBack}>
              Back
            </button>
          </div>
        </form>
      </Card>
    </div>
  );
}

function stays(preview: ErasePreview | null): string {
  const shared = 'Agent playbooks belong to the organization and stay as they are';
  if (preview === null) return `${shared}; their links to this user's playbooks are removed.`;
  const links = counted(preview.agent_playbook_ids.length, 'agent playbook');
  return `${shared}; links from ${links} to this user's playbooks are removed.`;
}

function Goes({ preview }: { preview: ErasePreview | null }) {
  if (preview === null) {
    return <Notice tone="warn">This server cannot count beforehand. Everything about the user goes: profiles, playbooks, requests, interactions, results and scores.</Notice>;
  }
  const rows = Object.entries(preview.counts);
  const total = rows.reduce((sum, [, n]) => sum + n, 0);
  return (
    <>
      {total === 0 && (
        <Notice tone="warn">Nothing is stored about this user id: it was erased before, or it is misspelt. Going on records this ticket and bars the id for ever.</Notice>
      )}
      <Table
        caption="Records that would be erased"
        rows={rows}
        rowKey={([name]) => name}
        columns={[
          { name: 'Kind', kind: 'head', cell: ([name]) => sentence(name) },
          { name: 'Records', kind: 'number', cell: ([, n]) => count(n) },
        ]}
      />
    </>
  );
}
