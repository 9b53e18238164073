/** Estimates with their intervals around a line of no difference. */
import { scaleLinear } from 'd3-scale';
import type { Interval } from '../api/types';
import { change, count, interval } from '../format/number';
import { Chart } from './figure';

export interface ForestRow {
  name: string;
  value: number;
  ci: Interval;
  n?: number;
  weight?: 'first' | 'second';
}

interface ForestProps {
  title: string;
  summary: string;
  rows: ForestRow[];
  left: string;
  right: string;
}

const ROW = 38;
const ROW_NARROW = 52;
const NARROW = 620;

export function Forest({ title, summary, rows, left, right }: ForestProps) {
  const step = (width: number) => (width < NARROW ? ROW_NARROW : ROW);
  return (
    <Chart
      title={title}
      summary={summary}
      height={(width) => rows.length * step(width) + 54}
      table={{ columns, rows, rowKey: (row) => row.name }}
      draw={(width) => <Rows rows={rows} width={width} step={step(width)} left={left} right={right} />}
    />
  );
}

interface RowsProps {
  rows: ForestRow[];
  width: number;
  step: number;
  left: string;
  right: string;
}

function Rows({ rows, width, step, left, right }: RowsProps) {
  const narrow = width < NARROW;
  const reach = Math.max(5, ...rows.flatMap((row) => [Math.abs(row.ci[0]), Math.abs(row.ci[1])]));
  const x = scaleLinear([-reach, reach], narrow ? [12, width - 12] : [210, width - 190]).nice(6);
  const base = rows.length * step + 14;
  return (
    <>
      {x.ticks(6).map((value) => (
        <g key={value}>
          <line class={value === 0 ? 'zero' : 'grid'} x1={x(value)} x2={x(value)} y1={8} y2={base} />
          <text x={x(value)} y={base + 16} text-anchor="middle">
            {change(value, 0)}
          </text>
        </g>
      ))}
      <text x={x(0) - 10} y={base + 36} text-anchor="end">{`◂ ${left}`}</text>
      <text x={x(0) + 10} y={base + 36}>{`${right} ▸`}</text>
      {rows.map((row, at) => (
        <Estimate key={row.name} row={row} y={at * step + (narrow ? 42 : 28)} words={narrow ? -16 : 4} width={width} x={x} />
      ))}
    </>
  );
}

interface EstimateProps {
  row: ForestRow;
  y: number;
  words: number;
  width: number;
  x: (value: number) => number;
}

function Estimate({ row, y, words, width, x }: EstimateProps) {
  const second = row.weight === 'second' ? ' second' : '';
  const letters = second ? '' : 'strong';
  return (
    <g data-row={row.name}>
      <line class={`whisker${second}`} x1={x(row.ci[0])} x2={x(row.ci[1])} y1={y} y2={y} />
      <line class={`whisker${second}`} x1={x(row.ci[0])} x2={x(row.ci[0])} y1={y - 5} y2={y + 5} />
      <line class={`whisker${second}`} x1={x(row.ci[1])} x2={x(row.ci[1])} y1={y - 5} y2={y + 5} />
      <path class={`estimate${second}`} d={`M${x(row.value)} ${y - 7}l7 7-7 7-7-7Z`} />
      <text class={letters} x={0} y={y + words}>
        {row.name}
      </text>
      <text class={letters} x={width} y={y + words} text-anchor="end">
        {`${change(row.value)} (${interval(row.ci, (value) => change(value))})`}
      </text>
    </g>
  );
}

const columns = [
  { name: 'Estimate', kind: 'head' as const, cell: (row: ForestRow) => row.name },
  { name: 'Difference (points)', kind: 'number' as const, cell: (row: ForestRow) => change(row.value) },
  { name: '95 % interval', kind: 'number' as const, cell: (row: ForestRow) => interval(row.ci, (value) => change(value)) },
  { name: 'n', kind: 'number' as const, cell: (row: ForestRow) => (row.n === undefined ? 'see arms' : count(row.n)) },
];
