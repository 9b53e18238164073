/** A rate over time with its interval as a band; where nothing was measured the line is open. */
import { scaleLinear, scaleUtc } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { Bucket } from '../api/types';
import { count, interval, share } from '../format/number';
import { trendInWords } from '../format/sentences';
import { axisDay, bucketName } from '../format/time';
import { lonePoints, type TrendPoint } from '../stats/buckets';
import { Chart, LegendItem } from './figure';

interface TrendProps {
  title: string;
  points: TrendPoint[];
  bucket: Bucket;
  height?: number;
  legend?: 'shown' | 'hidden';
}

const LEFT = 38;
const BOTTOM = 22;
const TOP = 8;
const RIGHT = 12;
const MOST_DOTS = 60;

export function TrendChart({ title, points, bucket, height = 250, legend = 'shown' }: TrendProps) {
  return (
    <Chart
      title={title}
      summary={trendInWords(points)}
      height={height}
      legend={legend === 'shown' && <TrendLegend />}
      table={{ columns: columns(bucket), rows: points, rowKey: (point) => point.ts }}
      draw={(width) => <TrendMarks points={points} bucket={bucket} width={width} height={height} />}
    />
  );
}

function TrendMarks({ points, bucket, width, height }: { points: TrendPoint[]; bucket: Bucket; width: number; height: number }) {
  const first = points[0]?.ts ?? 0;
  const last = points.at(-1)?.ts ?? 0;
  const margin = first === last ? 43_200 : 0;
  const x = scaleUtc([new Date((first - margin) * 1000), new Date((last + margin) * 1000)], [LEFT + 6, width - RIGHT]);
  const y = scaleLinear([0, 1], [height - BOTTOM, TOP]);
  const at = (point: TrendPoint) => x(new Date(point.ts * 1000));
  const path = line<TrendPoint>(at, (point) => y(point.rate ?? 0)).defined((point) => point.rate !== null);
  const band = area<TrendPoint>(at, (point) => y(point.ci?.[0] ?? 0), (point) => y(point.ci?.[1] ?? 0)).defined((point) => point.ci !== null);
  const lone = lonePoints(points);
  const dots = points.length <= MOST_DOTS ? points.filter((point) => point.rate !== null) : lone;
  return (
    <>
      <Grid y={y} width={width} />
      {tickTimes(points, width).map((ts) => (
        <text key={ts} x={x(new Date(ts * 1000))} y={height - 5} text-anchor="middle">
          {axisDay(ts)}
        </text>
      ))}
      <path class="band" d={band(points) ?? ''} />
      <path class="line" d={path(points) ?? ''} />
      {lone.map((point) => (
        <line key={`w${point.ts}`} class="whisker" x1={at(point)} x2={at(point)} y1={y(point.ci?.[0] ?? 0)} y2={y(point.ci?.[1] ?? 0)} />
      ))}
      {dots.map((point) => (
        <circle key={point.ts} class="dot" cx={at(point)} cy={y(point.rate ?? 0)} r={3.2} data-ts={point.ts} data-n={point.n}>
          <title>{`${bucketName(point.ts, bucket)}: ${share(point.rate)}, n ${count(point.n)}`}</title>
        </circle>
      ))}
    </>
  );
}

/** A few evenly spread buckets to name on the axis. */
function tickTimes(points: TrendPoint[], width: number): number[] {
  const most = Math.max(2, Math.floor(width / 90));
  const step = Math.max(1, Math.ceil(points.length / most));
  return points.filter((_, at) => at % step === 0).map((point) => point.ts);
}

function Grid({ y, width }: { y: (value: number) => number; width: number }) {
  return (
    <>
      {[0, 0.25, 0.5, 0.75, 1].map((value) => (
        <g key={value}>
          <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
            {share(value, 0)}
          </text>
        </g>
      ))}
    </>
  );
}

function TrendLegend() {
  return (
    <>
      <LegendItem mark="bar-now">Success rate per bucket</LegendItem>
      <LegendItem mark="band">95 % interval</LegendItem>
    </>
  );
}

const columns = (bucket: Bucket) => [
  { name: 'Bucket', kind: 'head' as const, cell: (point: TrendPoint) => bucketName(point.ts, bucket) },
  { name: 'Success', kind: 'number' as const, cell: (point: TrendPoint) => share(point.rate) },
  { name: '95 % interval', kind: 'number' as const, cell: (point: TrendPoint) => interval(point.ci, (value) => share(value)) },
  { name: 'n', kind: 'number' as const, cell: (point: TrendPoint) => count(point.n) },
];
