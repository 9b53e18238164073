/** One replay as it runs. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { cancelReplay, replayStatus } from '../../api/calls';
import type { ApiFailure } from '../../api/client';
import type { RegenerateStatus } from '../../api/types';
import { usePolling, useQuery } from '../../api/use-query';
import { Link, sessionPath } from '../../app/router';
import { sentence } from '../../format/names';
import { count, counted } from '../../format/number';
import { moment } from '../../format/time';
import { Dialog } from '../../ui/dialog';
import { Badge, Card, Facts, Notice } from '../../ui/parts';
import { Loaded } from '../../ui/states';
import { Table } from '../../ui/table';
import { grouped, isLive, jobTones, progressInWords } from './words';

const POLL_MS = 1_500;
const KEPT_FAILURES = 50;

export function JobCard({ id, onDone }: { id: string; onDone: () => void }) {
  const query = useQuery(id, (signal) => replayStatus(id, signal));
  const live = query.data !== null && isLive(query.data);
  const wasLive = useRef(false);
  usePolling(live, POLL_MS, query.reload);
  useEffect(() => {
    if (wasLive.current && !live && query.data !== null) onDone();
    wasLive.current = live;
  }, [live]);
  return (
    <Card title={`Replay ${id}`}>
      <Loaded query={{ ...query, busy: false }} what="the replay">{(job) => <Job job={job} onChange={query.reload} />}</Loaded>
    </Card>
  );
}

function Job({ job, onChange }: { job: RegenerateStatus; onChange: () => void }) {
  const done = job.completed + job.failed;
  const groups = grouped(job.failures);
  return (
    <>
      <div class="row">
        <Badge tone={jobTones[job.status]}>{sentence(job.status)}</Badge>
        <span aria-live="polite">{progressInWords(job, Date.now() / 1000)}</span>
      </div>
      {job.total > 0 && <progress max={job.total} value={done} aria-label="Sessions done" />}
      <Facts
        rows={[
          ['Sessions in the window', count(job.total_candidates)],
          ['Sampled', count(job.sampled_count)],
          ['Judged at the same time', job.concurrency_limit === undefined ? 'not stated' : `at most ${count(job.concurrency_limit)}`],
          ['Started', moment(job.started_at)],
          ['Finished', job.finished_at === undefined ? 'not yet' : moment(job.finished_at)],
        ]}
      />
      {groups.length > 0 && (
        <>
          <h3>Failures by reason</h3>
          {job.failed > job.failures.length && <p class="note">{`The first ${KEPT_FAILURES} failures are kept; ${count(job.failed)} happened.`}</p>}
          <Table
            caption="Failures by reason"
            rows={groups}
            rowKey={(group) => group.reason}
            columns={[
              { name: 'Reason', kind: 'head', cell: (group) => group.reason },
              { name: 'Sessions', kind: 'number', cell: (group) => count(group.sessions.length) },
              { name: 'Which', kind: 'wrap', cell: (group) => <Which sessions={group.sessions} /> },
            ]}
          />
        </>
      )}
      {isLive(job) && <Cancel job={job} onChange={onChange} />}
    </>
  );
}

const SHOWN_SESSIONS = 5;

/** A session without a user has none any more: the user was erased. */
function Which({ sessions }: { sessions: RegenerateStatus['failures'] }) {
  return (
    <>
      {sessions.slice(0, SHOWN_SESSIONS).map(({ user_id, session_id }, at) => (
        <span key={at}>
          {at > 0 && ', '}
          {user_id ? <Link to={sessionPath(user_id, session_id)}>{session_id}</Link> : 'of an erased user'}
        </span>
      ))}
      {sessions.length > SHOWN_SESSIONS && ' …'}
    </>
  );
}

function Cancel({ job, onChange }: { job: RegenerateStatus; onChange: () => void }) {
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const cancel = async () => {
    setAsking(false);
    await cancelReplay(job.job_id).catch((error: ApiFailure) => setFailure(error));
    onChange();
  };
  return (
    <div>
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      <button type="button" onClick={() => setAsking(true)}>
        Cancel this replay
      </button>
      {asking && (
        <Dialog title="Cancel the replay?" onClose={() => setAsking(false)}>
          <p>{`${counted(job.completed, 'session')} judged so far keep their new verdicts. The rest keep the old ones.`}</p>
          <div class="row">
            <button type="button" class="danger" onClick={() => void cancel()}>
              Cancel the replay
            </button>
            <button type="button" autoFocus onClick={() => setAsking(false)}>
              Let it run
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
