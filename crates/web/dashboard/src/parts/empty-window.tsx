/** Finds out why a window holds no judged session, and names the one thing to do about it. */
import { requests, results } from '../api/calls';
import { useQuery } from '../api/use-query';
import { Link, useNavigation, withQuery } from '../app/router';
import { rangeNames, type View } from '../app/window';
import { moment } from '../format/time';
import { Loaded, Nothing } from '../ui/states';

type Cause = { kind: 'nothing_published' } | { kind: 'nothing_judged' } | { kind: 'outside'; newest: number };

async function findCause(signal: AbortSignal): Promise<Cause> {
  const judged = await results({ limit: 1 }, signal);
  const [newest] = judged.agent_success_evaluation_results;
  if (newest) return { kind: 'outside', newest: newest.created_at };
  const published = await requests({ top_k: 1, include_interactions: false }, signal);
  return { kind: published.sessions.length > 0 ? 'nothing_judged' : 'nothing_published' };
}

export function EmptyWindow({ view }: { view: View }) {
  const query = useQuery('cause', findCause);
  return <Loaded query={query} what="the reason">{(cause) => <Reason cause={cause} view={view} />}</Loaded>;
}

function Reason({ cause, view }: { cause: Cause; view: View }) {
  if (cause.kind === 'nothing_published') return <NothingPublished />;
  if (cause.kind === 'nothing_judged') {
    return (
      <Nothing
        cause="Sessions were published, but none has been judged yet."
        detail="A session is judged some minutes after its last turn. Sampling may also leave a session out."
        action={
          <Link class="button primary" to="/sessions?list=published">
            Look at the published sessions
          </Link>
        }
      />
    );
  }
  return <OutsideWindow newest={cause.newest} view={view} />;
}

/** The very first state of an installation. */
export function NothingPublished() {
  return (
    <Nothing
      cause="No session has been published to this organization yet."
      detail="Send the first one with a production key, or fill a demonstration organization where the server runs:"
      action={<pre>touchstone demo --serve</pre>}
    />
  );
}

function OutsideWindow({ newest, view }: { newest: number; view: View }) {
  const { place } = useNavigation();
  const filtered = view.source !== null || view.agent !== null;
  const inside = newest >= view.from && newest <= view.to;
  if (filtered && inside) {
    return (
      <Nothing
        cause="No judged session in this window has this source and agent version."
        action={
          <Link class="button primary" to={withQuery(place, { source: null, agent: null })}>
            Show all sources and versions
          </Link>
        }
      />
    );
  }
  return (
    <Nothing
      cause="No session was judged in this window."
      detail={`The newest judged session is from ${moment(newest)}.`}
      action={
        <Link class="button primary" to={withQuery(place, { range: '365d', from: null, to: null, source: null, agent: null })}>
          {`Show: ${rangeNames['365d'].toLowerCase()}`}
        </Link>
      }
    />
  );
}
