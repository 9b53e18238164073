/** Wins, ties and losses per day as stacked bars: wins filled, ties grey, losses outlined. */
import { scaleLinear, scaleUtc } from 'd3-scale';
import type { ShadowDay, ShadowTotal } from '../api/types';
import { count } from '../format/number';
import { shadowInWords } from '../format/sentences';
import { axisDay } from '../format/time';
import { Chart, LegendItem } from './figure';

const LEFT = 34;
const BOTTOM = 22;
const TOP = 8;
const DAY_MS = 86_400_000;

export function ShadowDays({ days, total, height = 220 }: { days: ShadowDay[]; total: ShadowTotal; height?: number }) {
  return (
    <Chart
      title="Shadow comparisons per day"
      summary={shadowInWords(total)}
      height={height}
      legend={<DaysLegend />}
      table={{ columns, rows: days, rowKey: (day) => day.date }}
      draw={(width) => <Days days={days} width={width} height={height} />}
    />
  );
}

function Days({ days, width, height }: { days: ShadowDay[]; width: number; height: number }) {
  const times = days.map((day) => Date.parse(`${day.date}T00:00:00Z`));
  const first = Math.min(...times);
  const last = Math.max(...times) + DAY_MS;
  const x = scaleUtc([new Date(first), new Date(last)], [LEFT, width - 4]);
  const y = scaleLinear([0, Math.max(1, ...days.map((day) => day.n))], [height - BOTTOM, TOP]).nice(4);
  const slot = x(new Date(first + DAY_MS)) - x(new Date(first));
  const bar = Math.min(34, slot * 0.72);
  const every = Math.max(1, Math.ceil(days.length / Math.max(2, Math.floor(width / 90))));
  return (
    <>
      {y.ticks(4).filter(Number.isInteger).map((value) => (
        <g key={value}>
          <line class="grid" x1={LEFT} x2={width - 4} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 5} y={y(value) + 4} text-anchor="end">
            {count(value)}
          </text>
        </g>
      ))}
      {days.map((day, at) => {
        const middle = x(new Date(times[at] ?? first)) + slot / 2;
        return (
          <g key={day.date} data-date={day.date} data-n={day.n}>
            <Segment kind="win" left={middle - bar / 2} width={bar} from={y(0)} to={y(day.wins)} />
            <Segment kind="tie" left={middle - bar / 2} width={bar} from={y(day.wins)} to={y(day.wins + day.ties)} />
            <Segment kind="loss" left={middle - bar / 2} width={bar} from={y(day.wins + day.ties)} to={y(day.n)} />
            {at % every === 0 && (
              <text x={middle} y={height - 5} text-anchor="middle">
                {axisDay((times[at] ?? first) / 1000)}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

function Segment({ kind, left, width, from, to }: { kind: string; left: number; width: number; from: number; to: number }) {
  return from - to < 0.01 ? null : <rect class={kind} x={left} width={width} y={to} height={from - to} />;
}

function DaysLegend() {
  return (
    <>
      <LegendItem mark="win">Service better</LegendItem>
      <LegendItem mark="tie">Tied</LegendItem>
      <LegendItem mark="loss">Shadow better</LegendItem>
    </>
  );
}

const columns = [
  { name: 'Day', kind: 'head' as const, cell: (day: ShadowDay) => day.date },
  { name: 'Wins', kind: 'number' as const, cell: (day: ShadowDay) => count(day.wins) },
  { name: 'Ties', kind: 'number' as const, cell: (day: ShadowDay) => count(day.ties) },
  { name: 'Losses', kind: 'number' as const, cell: (day: ShadowDay) => count(day.losses) },
  { name: 'n', kind: 'number' as const, cell: (day: ShadowDay) => count(day.n) },
];
