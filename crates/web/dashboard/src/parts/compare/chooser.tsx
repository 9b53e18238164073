/** Puts sources into sets. */
import { sourceName } from '../../format/names';
import { Card } from '../../ui/parts';
import { Table } from '../../ui/table';
import { MOST_SETS, moveSource, type SourceSet } from './sets';

interface ChooserProps {
  sources: string[];
  sets: SourceSet[];
  onChoose: (sets: SourceSet[]) => void;
}

export function SetChooser({ sources, sets, onChoose }: ChooserProps) {
  const listed = [...sources, ...sets.flatMap((set) => set.sources).filter((source) => !sources.includes(source))];
  return (
    <Card class="source-list">
      <details>
        <summary>{`Choose sources (${sets.length} of at most ${MOST_SETS} sets)`}</summary>
        <p class="note">Sources in the same set are counted together. The first set is the one the others are compared with.</p>
        <Table
          caption="Sources and their sets"
          rows={listed}
          rowKey={(source) => source}
          columns={[
            { name: 'Source', kind: 'head', cell: sourceName },
            { name: 'Set', cell: (source) => <SetChoice source={source} sets={sets} onChoose={onChoose} /> },
          ]}
        />
      </details>
    </Card>
  );
}

function SetChoice({ source, sets, onChoose }: { source: string; sets: SourceSet[]; onChoose: (sets: SourceSet[]) => void }) {
  const current = sets.findIndex((set) => set.sources.includes(source));
  const places = Math.min(MOST_SETS, sets.length + 1);
  return (
    <select
      aria-label={`Set of ${sourceName(source)}`}
      value={current === -1 ? '' : String(current)}
      onChange={(event) => onChoose(moveSource(sets, source, event.currentTarget.value === '' ? null : Number(event.currentTarget.value)))}
    >
      <option value="">Not compared</option>
      {Array.from({ length: places }, (_, at) => (
        <option key={at} value={String(at)}>
          {at < sets.length ? `Set ${at + 1}: ${sets[at]?.label}` : 'A new set'}
        </option>
      ))}
    </select>
  );
}
