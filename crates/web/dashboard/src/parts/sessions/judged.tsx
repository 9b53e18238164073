/** Judged sessions, newest first, with filters and pages. */
import { overview, results } from '../../api/calls';
import type { ResultsResponse } from '../../api/types';
import { useQuery } from '../../api/use-query';
import { Link, useNavigation, withQuery } from '../../app/router';
import type { View } from '../../app/window';
import { failureName, failureTypes } from '../../format/names';
import { counted } from '../../format/number';
import { Card } from '../../ui/parts';
import { Loaded, Nothing } from '../../ui/states';
import { Choice, WindowBar } from '../../ui/window-bar';
import { EmptyWindow } from '../empty-window';
import { ResultsTable } from '../results-table';
import { asRequest, PAGE, readFilters, type Filters } from './filters';
import { UserFilter } from './user-filter';

export function JudgedSessions({ view }: { view: View }) {
  const { place } = useNavigation();
  const filters = readFilters(place.query);
  const request = asRequest(filters, view);
  const query = useQuery(JSON.stringify(request), (signal) => results(request, signal));
  const lists = useQuery(`lists ${view.from} ${view.to}`, (signal) =>
    overview({ from_ts: view.from, to_ts: view.to, include_shadow: false, include_sessions: false }, signal),
  );
  return (
    <>
      <WindowBar view={view} bucket="hidden" sources={lists.data?.source_set_comparison.available_sources} versions={lists.data?.available_agent_versions} />
      <FilterBar filters={filters} />
      <Loaded query={query} what="sessions">{(answer) => <Rows answer={answer} filters={filters} view={view} />}</Loaded>
    </>
  );
}

function FilterBar({ filters }: { filters: Filters }) {
  const { place, go } = useNavigation();
  const set = (changes: Record<string, string | null>) => go(withQuery(place, { cursor: null, ...changes }));
  return (
    <form class="window-bar" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Outcome"
        value={filters.outcome ?? ''}
        options={[['', 'Any outcome'], ['success', 'Success'], ['failure', 'Failure']]}
        onChoose={(outcome) => set({ outcome, failure: null })}
      />
      <Choice
        label="Failure type"
        value={filters.failure ?? ''}
        options={[['', 'Any type'], ...failureTypes.map((code): [string, string] => [code, failureName(code)])]}
        onChoose={(failure) => set({ failure, outcome: failure === '' ? filters.outcome : 'failure' })}
      />
      <Choice
        label="Escalated"
        value={filters.escalated ? 'yes' : ''}
        options={[['', 'All'], ['yes', 'Escalated only']]}
        onChoose={(escalated) => set({ escalated })}
      />
      <UserFilter user={filters.user} onChoose={(user) => set({ user })} />
    </form>
  );
}

interface RowsProps {
  answer: ResultsResponse;
  filters: Filters;
  view: View;
}

function Rows({ answer, filters, view }: RowsProps) {
  const { place } = useNavigation();
  const rows = answer.agent_success_evaluation_results;
  const next = answer.next_cursor ?? null;
  const filtered = filters.outcome !== null || filters.failure !== null || filters.escalated || filters.user !== null;
  const first = filters.cursor === null;
  if (rows.length === 0) return first && !filtered ? <EmptyWindow view={view} /> : <NoneFit />;
  return (
    <Card>
      <p class="note">{`${counted(rows.length, 'session')} shown, newest first; at most ${PAGE} on a page.`}</p>
      <ResultsTable caption="Judged sessions" rows={rows} />
      <div class="row">
        {!first && <Link class="button" to={withQuery(place, { cursor: null })}>Newest</Link>}
        {next !== null && <Link class="button" to={withQuery(place, { cursor: next })}>Older sessions</Link>}
      </div>
    </Card>
  );
}

function NoneFit() {
  const { place } = useNavigation();
  return (
    <Nothing
      cause="No judged session fits these filters."
      action={
        <Link class="button primary" to={withQuery(place, { outcome: null, failure: null, escalated: null, user: null, cursor: null })}>
          Clear the filters
        </Link>
      }
    />
  );
}
