/** Gathers everything the service holds about a user and saves it as a file. */
import { useState } from 'preact/hooks';
import { exportUser, type Ticket } from '../../api/calls';
import type { ApiFailure } from '../../api/client';
import type { ExportResponse } from '../../api/types';
import { sentence } from '../../format/names';
import { count, counted } from '../../format/number';
import { Card, Facts, Notice } from '../../ui/parts';
import { Table } from '../../ui/table';
import { saveJson } from './save';
import { TicketForm } from './ticket';

export function ExportUser() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [done, setDone] = useState<ExportResponse | null>(null);
  const run = async (ticket: Ticket) => {
    setBusy(true);
    setFailure(null);
    setDone(null);
    try {
      const answer = await exportUser(ticket);
      setDone(answer.body);
      saveJson(`${answer.body.export_id}.json`, answer.body);
    } catch (error) {
      setFailure(error as ApiFailure);
    }
    setBusy(false);
  };
  return (
    <div class="stack">
      <Card title="Export a user's data" note="The file holds personal data. Hand it only to the person it belongs to.">
        <TicketForm action={busy ? 'Gathering…' : 'Export and save'} busy={busy} onSubmit={(ticket) => void run(ticket)} />
        {failure && <ExportRefusal failure={failure} />}
      </Card>
      <div role="status">{done && <Exported done={done} />}</div>
    </div>
  );
}

function ExportRefusal({ failure }: { failure: ApiFailure }) {
  if (failure.code === 'subject_being_erased') {
    return <Notice tone="warn">This user is being erased right now, so there is nothing left to export. Look at the status of the erasure instead.</Notice>;
  }
  return <Notice tone="bad">{failure.message}</Notice>;
}

function Exported({ done }: { done: ExportResponse }) {
  const rows = Object.entries(done.bundle).map(([name, list]): [string, number] => [name, list.length]);
  const total = rows.reduce((sum, [, n]) => sum + n, 0);
  return (
    <Card
      title={total === 0 ? 'Nothing is stored about this user' : 'Export saved'}
      actions={
        <button type="button" onClick={() => saveJson(`${done.export_id}.json`, done)}>
          Save again
        </button>
      }
    >
      <Facts rows={[['Export', <code>{done.export_id}</code>], ['Subject reference', <code>{done.subject_ref}</code>], ['In all', counted(total, 'record')]]} />
      <Table
        caption="Records in the export"
        rows={rows}
        rowKey={([name]) => name}
        columns={[
          { name: 'Kind', kind: 'head', cell: ([name]) => sentence(name) },
          { name: 'Records', kind: 'number', cell: ([, n]) => count(n) },
        ]}
      />
    </Card>
  );
}
