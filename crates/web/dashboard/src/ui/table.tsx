/** Tables: with a caption, headed rows and columns, and room to scroll sideways on a small screen. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ComponentChildren;
  kind?: 'number' | 'head' | 'text' | 'wrap';
}

interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, at: number) => string | number;
  quietCaption?: boolean;
}

export function Table<Row>({ caption, columns, rows, rowKey, quietCaption = true }: TableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const scrolls = useScrolls(frame);
  return (
    <div class="table-frame" ref={frame} {...(scrolls ? { tabIndex: 0, role: 'group', 'aria-label': `${caption}, scrolls sideways` } : {})}>
      <table>
        <caption class={quietCaption ? 'hidden' : ''}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.kind === 'number' ? 'number' : ''}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={rowKey(row, at)}>{columns.map((column) => cell(column, row))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Only a table that is wider than its place needs a stop of its own for the keyboard. */
function useScrolls(frame: { current: HTMLElement | null }): boolean {
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth + 1));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return scrolls;
}

const classes: Partial<Record<'number' | 'head' | 'text' | 'wrap', string>> = { number: 'number', wrap: 'wrap' };

function cell<Row>(column: Column<Row>, row: Row) {
  if (column.kind === 'head') {
    return (
      <th key={column.name} scope="row">
        {column.cell(row)}
      </th>
    );
  }
  return (
    <td key={column.name} class={classes[column.kind ?? 'text'] ?? ''}>
      {column.cell(row)}
    </td>
  );
}
