/** Replays of the judge over a closed window: start one, watch it, cancel it; and the queue of sessions that wait. */
import { replayJobs, system } from '../api/calls';
import type { ApiFailure } from '../api/client';
import type { JobListResponse, QueueStatus, RegenerateStatus } from '../api/types';
import { useQuery, type Query } from '../api/use-query';
import { Link, useNavigation, withQuery } from '../app/router';
import { PageHead } from '../app/shell';
import { count } from '../format/number';
import { moment } from '../format/time';
import { QueueFacts } from '../parts/jobs/queue-facts';
import { JobCard } from '../parts/jobs/job-card';
import { StartReplay } from '../parts/jobs/start';
import { jobTones } from '../parts/jobs/words';
import { sentence } from '../format/names';
import { Badge, Card } from '../ui/parts';
import { Loaded, Nothing } from '../ui/states';
import { Table, type Column } from '../ui/table';

export default function Jobs() {
  const { place } = useNavigation();
  const cursor = place.query.get('cursor') || null;
  const list = useQuery('jobs', (signal) => replayJobs(null, signal));
  const older = useQuery(cursor, (signal) => replayJobs(cursor, signal));
  const queue = useQuery('queue', async (signal) => (await system(signal)).queue);
  const live = list.data?.jobs.find((job) => job.status === 'queued' || job.status === 'running');
  const shown = place.query.get('job') ?? live?.job_id ?? null;
  return (
    <>
      <PageHead title="Jobs" lead="A replay judges sessions of a past window again, for example after the rubric or the judge changed." />
      <div class="stack">
        {shown !== null && <JobCard key={shown} id={shown} onDone={list.reload} />}
        <StartReplay live={live ?? null} onStarted={list.reload} />
        <Queue query={queue} />
        <History query={cursor === null ? list : older} isNewest={cursor === null} />
      </div>
    </>
  );
}

const isAbsent = (failure: ApiFailure | null) => failure?.kind === 'missing';

function Queue({ query }: { query: Query<QueueStatus> }) {
  return (
    <Card title="What waits for the judge">
      {isAbsent(query.failure) ? (
        <p class="soft">This server does not report its queue.</p>
      ) : (
        <Loaded query={query} what="the queue">{(queue) => <QueueFacts queue={queue} />}</Loaded>
      )}
    </Card>
  );
}

function JobLink({ id }: { id: string }) {
  const { place } = useNavigation();
  return <Link to={withQuery(place, { job: id })}>{id}</Link>;
}

const columns: Column<RegenerateStatus>[] = [
  { name: 'Job', kind: 'head', cell: (job) => <JobLink id={job.job_id} /> },
  { name: 'State', cell: (job) => <Badge tone={jobTones[job.status]}>{sentence(job.status)}</Badge> },
  { name: 'Judged', kind: 'number', cell: (job) => count(job.completed) },
  { name: 'Failed', kind: 'number', cell: (job) => count(job.failed) },
  { name: 'Of', kind: 'number', cell: (job) => count(job.total) },
  { name: 'Started', cell: (job) => moment(job.started_at) },
];

function History({ query, isNewest }: { query: Query<JobListResponse>; isNewest: boolean }) {
  const { place } = useNavigation();
  return (
    <Card title="Replays so far">
      {isAbsent(query.failure) ? (
        <p class="soft">This server does not list its jobs; keep the address of a job to come back to it.</p>
      ) : (
        <Loaded query={query} what="the replays">
          {({ jobs, next_cursor: next }) => (
            <>
              {jobs.length > 0 ? (
                <Table caption="Replays" columns={columns} rows={jobs} rowKey={(job) => job.job_id} />
              ) : (
                <Nothing cause={isNewest ? 'No replay has been run yet.' : 'There are no older replays.'} action={<a class="button" href="#replay-window">Choose a window above</a>} />
              )}
              <div class="row">
                {!isNewest && <Link class="button" to={withQuery(place, { cursor: null })}>Newest</Link>}
                {next !== undefined && <Link class="button" to={withQuery(place, { cursor: next })}>Older replays</Link>}
              </div>
            </>
          )}
        </Loaded>
      )}
    </Card>
  );
}
