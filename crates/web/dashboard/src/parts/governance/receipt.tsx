/** The proof of an erasure, to print or save; it names references and counts, never the user. */
import { useEffect, useRef } from 'preact/hooks';
import type { EraseResponse } from '../../api/types';
import { sentence } from '../../format/names';
import { count, counted } from '../../format/number';
import { moment } from '../../format/time';
import { Facts } from '../../ui/parts';
import { Table } from '../../ui/table';
import { saveJson } from './save';

export function Receipt({ receipt, onAnother }: { receipt: EraseResponse; onAnother: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const rows = Object.entries(receipt.deleted_counts ?? {});
  const total = rows.reduce((sum, [, n]) => sum + n, 0);
  const links = receipt.unlinked_agent_playbook_ids ?? [];
  return (
    <article class="receipt" aria-label="Receipt of the erasure">
      <h2 ref={heading} tabIndex={-1}>
        The user has been erased
      </h2>
      <Facts
        rows={[
          ['Erasure', <code>{receipt.purge_id}</code>],
          ['Subject reference', <code>{receipt.subject_ref}</code>],
          ['Request reference', <code>{receipt.request_ref}</code>],
          ['Requested', moment(receipt.created_at)],
          ['Completed', moment(receipt.completed_at)],
          ['Records erased', receipt.deleted_counts ? count(total) : 'not stated'],
        ]}
      />
      {rows.length > 0 && (
        <Table
          caption="Erased records"
          rows={rows}
          rowKey={([name]) => name}
          columns={[
            { name: 'Kind', kind: 'head', cell: ([name]) => sentence(name) },
            { name: 'Erased', kind: 'number', cell: ([, n]) => count(n) },
          ]}
        />
      )}
      <p>{links.length === 0 ? 'No agent playbook was linked to this user.' : `Links of ${counted(links.length, 'agent playbook')} were removed (${links.join(', ')}); the playbooks themselves stay.`}</p>
      <p class="soft">The references cannot be turned back into a user id. The same user id and request id always lead to them.</p>
      <div class="row no-print">
        <button type="button" class="primary" onClick={() => print()}>
          Print
        </button>
        <button type="button" onClick={() => saveJson(`${receipt.purge_id}.json`, receipt)}>
          Save as a file
        </button>
        <button type="button" onClick={onAnother}>
          Done
        </button>
      </div>
    </article>
  );
}
