/** Everything that was published, judged or not, so that a session outside the sample can be found and graded. */
import { requests } from '../../api/calls';
import type { PublishedRequest, PublishedSession, RequestsResponse } from '../../api/types';
import { useQuery } from '../../api/use-query';
import { Link, sessionPath, useNavigation, withQuery } from '../../app/router';
import type { View } from '../../app/window';
import { sourceName, versionName } from '../../format/names';
import { count, counted } from '../../format/number';
import { moment } from '../../format/time';
import { Card } from '../../ui/parts';
import { Loaded, Nothing } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { WindowBar } from '../../ui/window-bar';
import { NothingPublished } from '../empty-window';
import { UserFilter } from './user-filter';

const PAGE = 50;

interface Row {
  id: string;
  user: string;
  latest: PublishedRequest;
  requests: number;
}

/** One row per (user, session); a request without a session is one of its own, named by its request. */
function rowsOf(sessions: PublishedSession[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { request } of sessions.flatMap((session) => session.requests)) {
    const id = request.session_id || request.request_id;
    const key = JSON.stringify([request.user_id, id]);
    const row = rows.get(key);
    if (row) row.requests += 1;
    else rows.set(key, { id, user: request.user_id, latest: request, requests: 1 });
  }
  return [...rows.values()];
}

const columns: Column<Row>[] = [
  { name: 'Session', kind: 'head', cell: (row) => <Link to={sessionPath(row.user, row.id)}>{row.id}</Link> },
  { name: 'User', cell: (row) => row.user },
  { name: 'Source', cell: (row) => sourceName(row.latest.source ?? '') },
  { name: 'Agent version', cell: (row) => versionName(row.latest.agent_version) },
  { name: 'Requests here', kind: 'number', cell: (row) => count(row.requests) },
  { name: 'Latest request', cell: (row) => moment(row.latest.created_at) },
];

export function PublishedSessions({ view }: { view: View }) {
  const { place, go } = useNavigation();
  const user = place.query.get('user')?.trim() || null;
  const skip = Math.max(0, Number.parseInt(place.query.get('skip') ?? '0', 10) || 0);
  const body = {
    start_time: view.from,
    end_time: view.to,
    top_k: PAGE,
    offset: skip,
    include_interactions: false,
    ...(user === null ? {} : { user_id: user }),
  };
  const query = useQuery(JSON.stringify(body), (signal) => requests(body, signal));
  return (
    <>
      <WindowBar view={view} bucket="hidden" />
      <form class="window-bar" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <UserFilter user={user} onChoose={(chosen) => go(withQuery(place, { user: chosen, skip: null }))} />
      </form>
      <Loaded query={query} what="published sessions">{(answer) => <Listing answer={answer} skip={skip} filtered={user !== null} />}</Loaded>
    </>
  );
}

function Listing({ answer, skip, filtered }: { answer: RequestsResponse; skip: number; filtered: boolean }) {
  const { place } = useNavigation();
  const rows = rowsOf(answer.sessions);
  if (rows.length === 0) return <Empty filtered={filtered} windowed={place.query.get('range') !== '365d'} />;
  return (
    <Card>
      <p class="note">{`${counted(rows.length, 'session')} from ${PAGE} requests at most, newest first.`}</p>
      <Table caption="Published sessions" columns={columns} rows={rows} rowKey={(row) => JSON.stringify([row.user, row.id])} />
      <div class="row">
        {skip > 0 && <Link class="button" to={withQuery(place, { skip: null })}>Newest</Link>}
        {answer.has_more && <Link class="button" to={withQuery(place, { skip: String(skip + PAGE) })}>Older requests</Link>}
      </div>
    </Card>
  );
}

function Empty({ filtered, windowed }: { filtered: boolean; windowed: boolean }) {
  const { place } = useNavigation();
  const ever = useQuery('ever', (signal) => requests({ top_k: 1, include_interactions: false }, signal));
  return (
    <Loaded query={ever} what="the reason">
      {(answer) => {
        if (answer.sessions.length === 0) return <NothingPublished />;
        const changes: Record<string, string | null> = filtered ? { user: null, skip: null } : { range: '365d', from: null, to: null, skip: null };
        return (
          <Nothing
            cause={filtered ? 'This user published nothing in this window.' : 'Nothing was published in this window.'}
            action={
              <Link class="button primary" to={withQuery(place, changes)}>
                {filtered ? 'Show all users' : windowed ? 'Show the last 365 days' : 'Show the newest again'}
              </Link>
            }
          />
        );
      }}
    </Loaded>
  );
}
