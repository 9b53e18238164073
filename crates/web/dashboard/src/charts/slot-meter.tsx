/** How often the judge chose what stood in the first place, with its interval and the fair half marked. */
import { scaleLinear } from 'd3-scale';
import type { ShadowVerdict } from '../api/types';
import { count, interval, share } from '../format/number';
import { slotInWords } from '../format/sentences';
import { wilson } from '../stats/interval';
import { Chart } from './figure';

const HEIGHT = 58;

export function SlotMeter({ verdicts }: { verdicts: ShadowVerdict[] }) {
  const decided = verdicts.filter((verdict) => verdict.output.better_request !== 'tie');
  const first = decided.filter((verdict) => verdict.output.better_request === '1').length;
  const row: SlotRow = { first, decided: decided.length, ci: wilson(first / decided.length, decided.length) };
  return (
    <Chart
      title="Choice of the first place"
      summary={slotInWords(first, decided.length)}
      height={HEIGHT}
      table={{ columns, rows: [row], rowKey: () => 'slot' }}
      draw={(width) => <Meter row={row} width={width} />}
    />
  );
}

function Meter({ row, width }: { row: SlotRow; width: number }) {
  const x = scaleLinear([0, 1], [6, width - 6]);
  const value = row.first / row.decided;
  return (
    <>
      <rect class="meter-track" x={x(0)} width={x(1) - x(0)} y={8} height={20} rx={4} />
      {row.ci && (
        <>
          <rect class="meter-band" x={x(row.ci[0])} width={x(row.ci[1]) - x(row.ci[0])} y={8} height={20} />
          <line class="meter-value" x1={x(value)} x2={x(value)} y1={4} y2={32} />
        </>
      )}
      <line class="zero" x1={x(0.5)} x2={x(0.5)} y1={2} y2={36} />
      <text x={x(0)} y={50}>
        always second
      </text>
      <text x={x(0.5)} y={50} text-anchor="middle">
        fair: 50 %
      </text>
      <text x={x(1)} y={50} text-anchor="end">
        always first
      </text>
    </>
  );
}

interface SlotRow {
  first: number;
  decided: number;
  ci: [number, number] | null;
}

const columns = [
  { name: 'First place chosen', kind: 'head' as const, cell: (row: SlotRow) => count(row.first) },
  { name: 'Share', kind: 'number' as const, cell: (row: SlotRow) => (row.decided > 0 ? share(row.first / row.decided) : 'not measured') },
  { name: '95 % interval', kind: 'number' as const, cell: (row: SlotRow) => interval(row.ci, (value) => share(value)) },
  { name: 'Decided comparisons (n)', kind: 'number' as const, cell: (row: SlotRow) => count(row.decided) },
];
