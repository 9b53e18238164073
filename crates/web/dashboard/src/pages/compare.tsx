/** Sources side by side: the same scale for each, and their differences with intervals. */
import { overview } from '../api/calls';
import type { OverviewResponse } from '../api/types';
import { useQuery } from '../api/use-query';
import { useNavigation } from '../app/router';
import { PageHead } from '../app/shell';
import { useView } from '../app/use-view';
import type { View } from '../app/window';
import { defaultSets, readSets, writeSets, type SourceSet } from '../parts/compare/sets';
import { Differences, Multiples } from '../parts/compare/sides';
import { SetChooser } from '../parts/compare/chooser';
import { EmptyWindow } from '../parts/empty-window';
import { counted } from '../format/number';
import { coarser } from '../stats/buckets';
import { Card, Notice } from '../ui/parts';
import { Loaded, Nothing } from '../ui/states';
import { WindowBar } from '../ui/window-bar';

export default function Compare() {
  const asked = useView();
  const view = asked.chosenBucket ? asked : { ...asked, bucket: coarser(asked.bucket) };
  const { place, go } = useNavigation();
  const base = { from_ts: view.from, to_ts: view.to, bucket: view.bucket, include_shadow: false, include_sessions: false };
  const known = useQuery(`sources ${view.from} ${view.to}`, (signal) => overview(base, signal));
  const sources = known.data?.source_set_comparison?.available_sources ?? null;
  const sets = readSets(place.query) ?? (sources ? defaultSets(sources) : null);
  const key = sets && sets.length > 0 ? JSON.stringify([view, sets]) : null;
  const compared = useQuery(key, (signal) => overview({ ...base, source_sets: sets ?? [] }, signal));
  const choose = (chosen: SourceSet[]) => go(`${place.path}?${writeSets(place.query, chosen)}`);
  return (
    <>
      <PageHead title="Compare sources" lead="A session belongs to the source of its first request." />
      <WindowBar view={view} />
      <Loaded query={known} what="the sources">
        {(answer) =>
          answer.hero.state === 'empty' || sources === null || sources.length === 0 ? (
            <EmptyWindow view={view} />
          ) : (
            <>
              <SetChooser sources={sources} sets={sets ?? []} onChoose={choose} />
              {sets && sets.length > 0 ? (
                <Loaded query={compared} what="the comparison">{(data) => <Sides answer={data} view={view} />}</Loaded>
              ) : (
                <Nothing cause="No source is chosen." action={<button type="button" onClick={() => choose(defaultSets(sources))}>Compare every source</button>} />
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

function unmatched(n: number): string {
  if (n === 0) return 'None: every judged session of this window is in one of the sets.';
  return `${counted(n, 'judged session')} of this window ${n === 1 ? 'belongs' : 'belong'} to none of the chosen sources.`;
}

function Sides({ answer, view }: { answer: OverviewResponse; view: View }) {
  const comparison = answer.source_set_comparison;
  if (!comparison || comparison.sets.length === 0) return <EmptyWindow view={view} />;
  return (
    <>
      <Notice tone="info">
        <p>
          <strong>Sources are not randomised.</strong> Their users and questions may differ, so a difference here is not the effect of the source. To measure an
          effect, run an experiment.
        </p>
      </Notice>
      <Differences sets={comparison.sets} />
      <Multiples sets={comparison.sets} bucket={view.bucket} to={view.to} />
      <Card title="Not in any set">
        <p>{unmatched(comparison.unmatched_session_count)}</p>
      </Card>
    </>
  );
}
