/** Holdout experiments: the one that runs, those that ran, and the start of the next. */
import { experiments } from '../api/calls';
import type { ExperimentListResponse, ExperimentRecord } from '../api/types';
import { useQuery } from '../api/use-query';
import { experimentPath, Link } from '../app/router';
import { PageHead } from '../app/shell';
import { percent } from '../format/number';
import { duration, moment } from '../format/time';
import { StartExperiment } from '../parts/experiments/start';
import { StopExperiment } from '../parts/experiments/stop';
import { Badge, Card, Facts } from '../ui/parts';
import { Loaded } from '../ui/states';
import { Table, type Column } from '../ui/table';

export default function Experiments() {
  const query = useQuery('experiments', (signal) => experiments(signal));
  return (
    <>
      <PageHead
        title="Experiments"
        lead="Some users get no retrieved learnings for a while. Comparing both groups shows what retrieval is worth."
      />
      <Loaded query={query} what="experiments">{(list) => <Lists list={list} reload={query.reload} />}</Loaded>
    </>
  );
}

function Lists({ list, reload }: { list: ExperimentListResponse; reload: () => void }) {
  const active = list.active_experiment;
  return (
    <>
      {active && <Active record={active} reload={reload} />}
      <StartExperiment active={active} reload={reload} />
      <Card title="History">
        {list.experiments.length > 0 ? (
          <Table caption="All experiments, newest first" columns={columns} rows={list.experiments} rowKey={(row) => row.experiment_id} />
        ) : (
          <p class="soft">No experiment has been run in this organization. Start the first one above.</p>
        )}
      </Card>
    </>
  );
}

function Active({ record, reload }: { record: ExperimentRecord; reload: () => void }) {
  return (
    <Card
      title={`Running: ${record.experiment_id}`}
      class="answer-card"
      actions={
        <span class="row">
          <Link class="button primary" to={experimentPath(record.experiment_id)}>
            See results
          </Link>
          <StopExperiment record={record} onStopped={reload} />
        </span>
      }
    >
      <Facts
        rows={[
          ['Held out', `${percent(record.holdout_percentage)} of users`],
          ['Running since', moment(record.started_at)],
          ['For', duration(Date.now() / 1000 - record.started_at)],
        ]}
      />
    </Card>
  );
}

const columns: Column<ExperimentRecord>[] = [
  { name: 'Experiment', kind: 'head', cell: (row) => <Link to={experimentPath(row.experiment_id)}>{row.experiment_id}</Link> },
  { name: 'State', cell: (row) => (row.ended_at === null ? <Badge tone="info">Running</Badge> : <Badge tone="plain">Ended</Badge>) },
  { name: 'Held out', kind: 'number', cell: (row) => percent(row.holdout_percentage) },
  { name: 'Started', cell: (row) => moment(row.started_at) },
  { name: 'Ended', cell: (row) => (row.ended_at === null ? 'still running' : moment(row.ended_at)) },
];
