/** Judged sessions, newest first, with filters and pages. */
import { overview, results } from '../../api/calls';
import type { ResultsResponse } from '../../api/types';
import { useQuery } from '../../api/use-query';
import { Link, useNavigation, withQuery } from '../../app/router';
import type { View } from '../../app/window';
import { failureName, failureTypes } from '../../format/names';
import { counted } from '../../format/number';
import { moment } from '../../format/time';
import { Card } from '../../ui/parts';
import { Loaded, Nothing } from '../../ui/states';
import { Choice, WindowBar } from '../../ui/window-bar';
import { EmptyWindow } from '../empty-window';
import { ResultsTable } from '../results-table';
import { asRequest, fits, nextPage, PAGE, readFilters, type Filters } from './filters';
import { UserFilter } from './user-filter';

export function JudgedSessions({ view }: { view: View }) {
  const { place } = useNavigation();
  const filters = readFilters(place.query);
  const request = asRequest(filters, view);
  const query = useQuery(JSON.stringify(request), (signal) => results(request, signal));
  const lists = useQuery(`lists ${view.from} ${view.to}`, (signal) =>
    overview({ from_ts: view.from, to_ts: view.to, include_shadow: false, include_sessions: false }, signal),
  );
  const versions = lists.data?.available_agent_versions ?? [
    ...new Set((query.data?.agent_success_evaluation_results ?? []).map((row) => row.agent_version)),
  ];
  return (
    <>
      <WindowBar view={view} bucket="hidden" sources={lists.data?.source_set_comparison?.available_sources} versions={versions} />
      <FilterBar filters={filters} />
      <Loaded query={query} what="sessions">{(answer) => <Rows answer={answer} filters={filters} view={view} end={request.end_time ?? view.to} />}</Loaded>
    </>
  );
}

function FilterBar({ filters }: { filters: Filters }) {
  const { place, go } = useNavigation();
  const set = (changes: Record<string, string | null>) => go(withQuery(place, { cursor: null, before: null, ...changes }));
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
  end: number;
}

function Rows({ answer, filters, view, end }: RowsProps) {
  const { place } = useNavigation();
  const all = answer.agent_success_evaluation_results;
  const rows = all.filter((row) => fits(row, filters, view));
  const next = nextPage(all, answer.next_cursor, end);
  const filtered = filters.outcome !== null || filters.failure !== null || filters.escalated || filters.user !== null;
  const first = filters.before === null && filters.cursor === null;
  if (rows.length === 0 && next === null) {
    if (first && !filtered) return <EmptyWindow view={view} />;
    return <NoneFit />;
  }
  return (
    <Card>
      <p class="note">
        {`${counted(rows.length, 'session')} shown${rows.length < all.length ? ` of ${all.length} read` : ''}, newest first; at most ${PAGE} on a page.`}
        {filters.before !== null && ` Older than ${moment(filters.before)}.`}
      </p>
      {rows.length > 0 ? <ResultsTable caption="Judged sessions" rows={rows} /> : <p>None of the sessions on this page fits the filters.</p>}
      <div class="row">
        {!first && <Link class="button" to={withQuery(place, { cursor: null, before: null })}>Newest</Link>}
        {next && <Link class="button" to={withQuery(place, next)}>Older sessions</Link>}
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
        <Link class="button primary" to={withQuery(place, { outcome: null, failure: null, escalated: null, user: null, cursor: null, before: null })}>
          Clear the filters
        </Link>
      }
    />
  );
}
