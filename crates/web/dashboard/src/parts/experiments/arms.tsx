/** Both arms side by side; each figure names what it rests on. */
import type { ArmMetrics } from '../../api/types';
import { count, figure, share } from '../../format/number';
import { armInWords } from '../../format/sentences';
import { Card } from '../../ui/parts';
import { Table } from '../../ui/table';

type Show = (arm: ArmMetrics) => string;

const rows: [string, Show][] = [
  ['Users assigned', (arm) => count(arm.assigned_user_count)],
  ['Sessions published', (arm) => count(arm.published_session_count)],
  ['Success', armInWords],
  ['Corrections per session', (arm) => withN(figure(arm.average_corrections), arm.evaluated_session_count)],
  ['Turns to resolution, if successful', (arm) => figure(arm.average_turns_to_resolution, 1)],
  ['Escalated', (arm) => withN(share(arm.escalation_rate), arm.evaluated_session_count)],
  ['Output tokens per session', (arm) => withN(figure(arm.average_output_tokens, 0), arm.output_token_session_count)],
];

const withN = (text: string, n: number) => `${text} (n\u00a0${count(n)})`;

export function Arms({ treatment, holdout }: { treatment: ArmMetrics; holdout: ArmMetrics }) {
  return (
    <Card title="The two arms" note="Treatment: retrieval on. Holdout: retrieval off. n counts judged sessions; for tokens, sessions whose tokens are all counted.">
      <Table
        caption="Treatment and holdout"
        rows={rows}
        rowKey={([name]) => name}
        columns={[
          { name: 'Measure', kind: 'head', cell: ([name]) => name },
          { name: 'Treatment', kind: 'number', cell: ([, show]) => show(treatment) },
          { name: 'Holdout', kind: 'number', cell: ([, show]) => show(holdout) },
        ]}
      />
    </Card>
  );
}
