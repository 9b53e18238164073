/** The frame of every chart: the drawing, one sentence that says what it shows, a legend, and the same numbers as a table. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Table, type Column } from '../ui/table';

interface ChartProps<Row> {
  title: string;
  summary: string;
  height: number | ((width: number) => number);
  legend?: ComponentChildren;
  table: { columns: Column<Row>[]; rows: readonly Row[]; rowKey: (row: Row, at: number) => string | number };
  /** Draws for the width the page leaves, so that letters keep their size on a small screen. */
  draw: (width: number) => ComponentChildren;
}

const FIRST_GUESS = 640;

/** The drawing is one image to a screen reader; its name is the title and the sentence, and the table holds the rest. */
export function Chart<Row>({ title, summary, height, legend, table, draw }: ChartProps<Row>) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const tall = typeof height === 'function' ? height(width) : height;
  return (
    <figure class="chart" data-chart={title} ref={frame}>
      <svg viewBox={`0 0 ${width} ${tall}`} role="img" aria-label={`${title}. ${summary}`}>
        {draw(width)}
      </svg>
      {legend && <ul class="legend">{legend}</ul>}
      <figcaption>{summary}</figcaption>
      <details class="twin">
        <summary>
          Show as a table<span class="hidden">: {title}</span>
        </summary>
        <Table caption={title} {...table} />
      </details>
    </figure>
  );
}

function useWidth(frame: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(FIRST_GUESS);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setWidth(Math.max(240, Math.round(element.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** One entry of a legend: the mark itself and what it stands for. */
export function LegendItem({ mark, children }: { mark: string; children: ComponentChildren }) {
  return (
    <li>
      <svg viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <rect class={mark} x="1" y="1" width="10" height="10" rx="1.5" />
      </svg>
      {children}
    </li>
  );
}
