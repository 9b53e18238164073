/** Learnings that were cited in sessions that went well, and in sessions that did not. */
import type { RuleAttributionRow } from '../../api/types';
import { kindName } from '../../format/names';
import { change, count } from '../../format/number';
import { Card } from '../../ui/parts';
import { Table, type Column } from '../../ui/table';

const columns: Column<RuleAttributionRow>[] = [
  {
    name: 'Rule',
    kind: 'head',
    cell: (row) => (
      <>
        {row.title || `${kindName(row.kind)} ${row.rule_id}`}
        <span class="soft"> {kindName(row.kind)}</span>
      </>
    ),
  },
  { name: 'Successes', kind: 'number', cell: (row) => count(row.successes_with) },
  { name: 'Failures', kind: 'number', cell: (row) => count(row.failures_with) },
  { name: 'Net', kind: 'number', cell: (row) => change(row.net_sessions, 0) },
  { name: 'n', kind: 'number', cell: (row) => count(row.successes_with + row.failures_with) },
];

const key = (row: RuleAttributionRow) => `${row.kind}:${row.rule_id}`;

export function Rules({ helped, hurt }: { helped: RuleAttributionRow[]; hurt: RuleAttributionRow[] }) {
  return (
    <div class="split">
      <Card title="Rules that helped" note="Cited more often in successful sessions. A citation shows company, not cause.">
        {helped.length > 0 ? (
          <Table caption="Rules that helped" columns={columns} rows={helped} rowKey={key} />
        ) : (
          <p class="soft">No rule was cited more often in successes than in failures.</p>
        )}
      </Card>
      <Card title="Rules that hurt" note="Cited more often in failed sessions: read these first.">
        {hurt.length > 0 ? (
          <Table caption="Rules that hurt" columns={columns} rows={hurt} rowKey={key} />
        ) : (
          <p class="soft">None of the listed rules was cited more often in failures than in successes.</p>
        )}
      </Card>
    </div>
  );
}
