/** Tables: with a caption, headed rows and columns, and room to scroll sideways on a small screen. */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ComponentChildren;
  kind?: 'number' | 'head' | 'text';
}

interface TableProps<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, at: number) => string | number;
  quietCaption?: boolean;
}

export function Table<Row>({ caption, columns, rows, rowKey, quietCaption = true }: TableProps<Row>) {
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={caption}>
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

function cell<Row>(column: Column<Row>, row: Row) {
  if (column.kind === 'head') {
    return (
      <th key={column.name} scope="row">
        {column.cell(row)}
      </th>
    );
  }
  return (
    <td key={column.name} class={column.kind === 'number' ? 'number' : ''}>
      {column.cell(row)}
    </td>
  );
}
