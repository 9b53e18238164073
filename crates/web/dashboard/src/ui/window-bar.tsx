/** The bar that chooses window, bucket, source and agent version; whatever it changes goes to the address. */
import { useNavigation, withQuery } from '../app/router';
import { rangeNames, STANDARD, type Range, type View } from '../app/window';
import { sourceName, versionName } from '../format/names';
import { toDateField } from '../format/time';

interface BarProps {
  view: View;
  sources?: string[] | undefined;
  versions?: string[] | undefined;
  bucket?: 'shown' | 'hidden';
}

export function WindowBar({ view, sources, versions, bucket = 'shown' }: BarProps) {
  const { place, go } = useNavigation();
  const set = (changes: Record<string, string | null>) => go(withQuery(place, { ...changes, cursor: null }), 'push');
  const chooseRange = (range: Range) => {
    if (range === 'custom') set({ range, from: toDateField(view.from), to: toDateField(view.to) });
    else set({ range: range === STANDARD ? null : range, from: null, to: null });
  };
  return (
    <form class="window-bar" aria-label="What to look at" onSubmit={(event) => event.preventDefault()}>
      <Choice label="Time range" value={view.range} onChoose={(value) => chooseRange(value as Range)} options={Object.entries(rangeNames)} />
      {view.range === 'custom' && (
        <>
          <DateField label="From" value={toDateField(view.from)} onChoose={(from) => set({ from })} />
          <DateField label="To" value={toDateField(view.to)} onChoose={(to) => set({ to })} />
        </>
      )}
      {bucket === 'shown' && (
        <Choice
          label="Bucket"
          value={view.chosenBucket ?? ''}
          onChoose={(value) => set({ bucket: value })}
          options={[['', `Auto (${view.bucket})`], ['hour', 'Hour'], ['day', 'Day'], ['week', 'Week']]}
        />
      )}
      {sources && <SourceChoice view={view} sources={sources} set={set} />}
      {versions && (versions.length > 0 || view.agent) && (
        <Choice
          label="Agent version"
          value={view.agent ?? ''}
          onChoose={(value) => set({ agent: value })}
          options={[['', 'All versions'], ...withCurrent(versions.filter(Boolean), view.agent).map((name): [string, string] => [name, versionName(name)])]}
        />
      )}
    </form>
  );
}

const withCurrent = (list: string[], current: string | null) => (current && !list.includes(current) ? [...list, current] : list);

const ALL = 'all';
const ONE = 'is:';

/** The empty source is a source of its own, so "all" needs another sign than the empty text. */
function SourceChoice({ view, sources, set }: { view: View; sources: string[]; set: (changes: Record<string, string | null>) => void }) {
  const { place, go } = useNavigation();
  const choose = (value: string) => {
    if (value === ALL) return set({ source: null });
    const query = new URLSearchParams(place.query);
    query.set('source', value.slice(ONE.length));
    go(`${place.path}?${query}`);
  };
  const list = view.source !== null && !sources.includes(view.source) ? [...sources, view.source] : sources;
  return (
    <Choice
      label="Source"
      value={view.source === null ? ALL : ONE + view.source}
      onChoose={choose}
      options={[[ALL, 'All sources'], ...list.map((name): [string, string] => [ONE + name, sourceName(name)])]}
    />
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: [string, string][];
  onChoose: (value: string) => void;
}

export function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function DateField({ label, value, onChoose }: { label: string; value: string; onChoose: (value: string) => void }) {
  return (
    <label class="choice">
      <span>{label} (UTC)</span>
      <input type="date" value={value} onChange={(event) => event.currentTarget.value && onChoose(event.currentTarget.value)} />
    </label>
  );
}
