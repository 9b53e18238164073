/** Judged sessions as a table; each row leads to its session. */
import type { AgentSuccessEvaluationResult } from '../api/types';
import { Link, sessionPath } from '../app/router';
import { failureName, sourceName, versionName } from '../format/names';
import { count } from '../format/number';
import { moment } from '../format/time';
import { Badge } from '../ui/parts';
import { Table, type Column } from '../ui/table';

type Result = AgentSuccessEvaluationResult;

const columns: Column<Result>[] = [
  {
    name: 'Session',
    kind: 'head',
    cell: (row) => (row.user_id ? <Link to={sessionPath(row.user_id, row.session_id)}>{row.session_id}</Link> : row.session_id),
  },
  { name: 'Outcome', cell: (row) => <Outcome result={row} /> },
  { name: 'User', cell: (row) => row.user_id ?? 'not given' },
  { name: 'Agent version', cell: (row) => versionName(row.agent_version) },
  { name: 'Corrections', kind: 'number', cell: (row) => count(row.number_of_correction_per_session) },
  { name: 'Turns', kind: 'number', cell: (row) => (row.user_turns_to_resolution === undefined ? '–' : count(row.user_turns_to_resolution)) },
  { name: 'Escalated', cell: (row) => (row.is_escalated ? 'Yes' : 'No') },
  { name: 'Began', cell: (row) => moment(row.created_at) },
];
const sourceColumn: Column<Result> = { name: 'Source', cell: (row) => (row.source === undefined ? '' : sourceName(row.source)) };

function Outcome({ result }: { result: Result }) {
  if (result.is_success) return <Badge tone="good">Success</Badge>;
  return (
    <>
      <Badge tone="bad">Failure</Badge>
      <span class="soft">{failureName(result.failure_type)}</span>
    </>
  );
}

export function ResultsTable({ caption, rows }: { caption: string; rows: Result[] }) {
  const named = rows.some((row) => row.source !== undefined) ? [...columns.slice(0, 4), sourceColumn, ...columns.slice(4)] : columns;
  return <Table caption={caption} columns={named} rows={rows} rowKey={(row) => row.result_id} />;
}
