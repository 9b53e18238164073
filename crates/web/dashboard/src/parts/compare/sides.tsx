/** The sets drawn at one scale, and each set's difference from the first. */
import type { Bucket, SourceSetMetrics } from '../../api/types';
import { Forest, type ForestRow } from '../../charts/forest';
import { TrendChart } from '../../charts/trend';
import { count, figure, interval, NOT_MEASURED, percent, share } from '../../format/number';
import { withGaps } from '../../stats/buckets';
import { difference, measured, scaled, spansZero } from '../../stats/interval';
import { Card } from '../../ui/parts';
import { Table, type Column } from '../../ui/table';

const rateOf = (set: SourceSetMetrics) =>
  measured(set.success_rate_pp / 100, set.session_count, set.ci95 ? scaled(set.ci95, 0.01) : null);

function rowsAgainst(first: SourceSetMetrics, others: SourceSetMetrics[]): ForestRow[] {
  const base = rateOf(first);
  return others.flatMap((set) => {
    const rate = rateOf(set);
    if (!base || !rate) return [];
    const { value, ci } = difference(rate, base);
    return [{ name: set.label, value: value * 100, ci: scaled(ci, 100), n: set.session_count }];
  });
}

export function Differences({ sets }: { sets: SourceSetMetrics[] }) {
  const [first, ...others] = sets;
  if (!first || others.length === 0) return null;
  const rows = rowsAgainst(first, others);
  if (rows.length === 0) {
    return (
      <Card title="Differences">
        <p class="soft">Not measured: a difference needs judged sessions on both sides.</p>
      </Card>
    );
  }
  const clear = rows.filter((row) => !spansZero(row.ci)).length;
  const summary = `${clear} of ${rows.length} differ clearly from ${first.label} (n ${count(first.session_count)}); the intervals treat sessions as independent.`;
  return (
    <Card title={`Difference from ${first.label}`} note="Percentage points of success, with 95 % intervals.">
      <Forest title={`Difference from ${first.label}`} summary={summary} rows={rows} left="less success" right="more success" />
    </Card>
  );
}

const columns: Column<SourceSetMetrics>[] = [
  { name: 'Set', kind: 'head', cell: (set) => set.label },
  { name: 'Success', kind: 'number', cell: (set) => (set.session_count > 0 ? percent(set.success_rate_pp) : NOT_MEASURED) },
  { name: '95 % interval', kind: 'number', cell: (set) => interval(rateOf(set)?.ci, (value) => share(value)) },
  { name: 'Corrections', kind: 'number', cell: (set) => recent(set, (tiles) => figure(tiles.corrections.current)) },
  { name: 'Escalated', kind: 'number', cell: (set) => recent(set, (tiles) => percent(tiles.escalation.current)) },
  { name: 'n', kind: 'number', cell: (set) => count(set.session_count) },
];

/** Tiles speak of the last seven days of the window, which may hold nothing though the window does. */
function recent(set: SourceSetMetrics, show: (tiles: SourceSetMetrics['context_tiles']) => string): string {
  return set.context_tiles.current_sessions > 0 ? show(set.context_tiles) : NOT_MEASURED;
}

export function Multiples({ sets, bucket, to }: { sets: SourceSetMetrics[]; bucket: Bucket; to: number }) {
  const span = { from: Math.min(...sets.flatMap((set) => set.buckets.map((row) => row.ts))), to };
  return (
    <>
      <Card title="Side by side" note="Corrections and escalations: last 7 days of the window.">
        <Table caption="Source sets" columns={columns} rows={sets} rowKey={(set) => set.label} />
      </Card>
      <div class="multiples">
        {sets.map((set) => (
          <Card key={set.label} title={set.label} note={`n ${count(set.session_count)}`}>
            {set.session_count > 0 ? (
              <TrendChart title={`Success of ${set.label}`} points={withGaps(set.buckets, bucket, span)} bucket={bucket} height={150} legend="hidden" />
            ) : (
              <p class="soft">Not measured: no judged session of this set in the window.</p>
            )}
          </Card>
        ))}
      </div>
    </>
  );
}
