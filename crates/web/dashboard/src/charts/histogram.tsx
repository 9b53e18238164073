/** Corrections per session now (filled) against the period before (outlined), as shares so that unequal n compare. */
import { scaleBand, scaleLinear } from 'd3-scale';
import type { ScoreDistribution } from '../api/types';
import { count, share } from '../format/number';
import { correctionsInWords } from '../format/sentences';
import { Chart, LegendItem } from './figure';

const HEIGHT = 220;
const BOTTOM = 34;
const LEFT = 36;

interface Bin {
  label: string;
  now: number;
  before: number;
  nowShare: number | null;
  beforeShare: number | null;
}

function binsOf(distribution: ScoreDistribution): Bin[] {
  const total = (bins: number[]) => bins.reduce((sum, bin) => sum + bin, 0);
  const now = total(distribution.current_bins);
  const before = total(distribution.baseline_bins);
  return distribution.labels.map((label, at) => {
    const current = distribution.current_bins[at] ?? 0;
    const baseline = distribution.baseline_bins[at] ?? 0;
    return { label, now: current, before: baseline, nowShare: now ? current / now : null, beforeShare: before ? baseline / before : null };
  });
}

export function CorrectionsHistogram({ distribution }: { distribution: ScoreDistribution }) {
  const bins = binsOf(distribution);
  return (
    <Chart
      title="Corrections per session"
      summary={correctionsInWords(distribution)}
      height={HEIGHT}
      legend={<HistogramLegend />}
      table={{ columns, rows: bins, rowKey: (bin) => bin.label }}
      draw={(width) => <Bars bins={bins} width={width} />}
    />
  );
}

function Bars({ bins, width }: { bins: Bin[]; width: number }) {
  const top = Math.max(0.1, ...bins.flatMap((bin) => [bin.nowShare ?? 0, bin.beforeShare ?? 0]));
  const names = bins.map((bin) => bin.label);
  const x = scaleBand(names, [LEFT, width - 6]).paddingInner(0.28).paddingOuter(0.12);
  const base = HEIGHT - BOTTOM;
  const y = scaleLinear([0, top], [base, 10]).nice(4);
  const half = x.bandwidth() / 2;
  return (
    <>
      {y.ticks(4).map((value) => (
        <g key={value}>
          <line class="grid" x1={LEFT} x2={width - 6} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 5} y={y(value) + 4} text-anchor="end">
            {share(value, 0)}
          </text>
        </g>
      ))}
      {bins.map((bin) => {
        const left = x(bin.label) ?? 0;
        return (
          <g key={bin.label}>
            {bin.nowShare !== null && (
              <rect class="bar-now" x={left} width={half - 1} y={y(bin.nowShare)} height={base - y(bin.nowShare)} data-n={bin.now} />
            )}
            {bin.beforeShare !== null && (
              <rect class="bar-before" x={left + half} width={half - 1} y={y(bin.beforeShare)} height={base - y(bin.beforeShare)} data-n={bin.before} />
            )}
            <text x={left + half} y={base + 14} text-anchor="middle">
              {bin.label}
            </text>
          </g>
        );
      })}
      <text x={(LEFT + width) / 2} y={HEIGHT - 4} text-anchor="middle">
        corrections in a session
      </text>
    </>
  );
}

function HistogramLegend() {
  return (
    <>
      <LegendItem mark="bar-now">Last 7 days</LegendItem>
      <LegendItem mark="bar-before">The 7 days before</LegendItem>
    </>
  );
}

const columns = [
  { name: 'Corrections', kind: 'head' as const, cell: (bin: Bin) => bin.label },
  { name: 'Sessions now', kind: 'number' as const, cell: (bin: Bin) => count(bin.now) },
  { name: 'Share now', kind: 'number' as const, cell: (bin: Bin) => share(bin.nowShare) },
  { name: 'Sessions before', kind: 'number' as const, cell: (bin: Bin) => count(bin.before) },
  { name: 'Share before', kind: 'number' as const, cell: (bin: Bin) => share(bin.beforeShare) },
];
