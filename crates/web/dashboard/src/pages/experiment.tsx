/** The result of one experiment: first whether it can be trusted, then what it says, then the numbers. */
import { experimentResults } from '../api/calls';
import type { ExperimentResults } from '../api/types';
import { useQuery } from '../api/use-query';
import { Link } from '../app/router';
import { PageHead } from '../app/shell';
import { Forest, type ForestRow } from '../charts/forest';
import { change, count, counted, interval, percent, points, share } from '../format/number';
import { decision } from '../format/sentences';
import { moment } from '../format/time';
import { Arms } from '../parts/experiments/arms';
import { Health } from '../parts/experiments/health';
import { StopExperiment } from '../parts/experiments/stop';
import { Badge, Card, Facts } from '../ui/parts';
import { Loaded, Nothing } from '../ui/states';

export default function Experiment({ params }: { params: Record<string, string> }) {
  const id = params['id'] ?? '';
  const query = useQuery(id, (signal) => experimentResults(id, signal));
  return (
    <>
      <p>
        <Link to="/experiments">Experiments</Link>
      </p>
      <PageHead title={`Experiment ${id}`} />
      {query.failure?.kind === 'missing' ? (
        <Nothing cause="There is no experiment of this name." action={<Link class="button primary" to="/experiments">See all experiments</Link>} />
      ) : (
        <Loaded query={query} what="the results">{(results) => <Results results={results} reload={query.reload} />}</Loaded>
      )}
    </>
  );
}

function Results({ results, reload }: { results: ExperimentResults; reload: () => void }) {
  const { experiment } = results;
  const nothing = results.treatment.evaluated_session_count === 0 && results.holdout.evaluated_session_count === 0;
  return (
    <>
      <Card
        title="About"
        actions={experiment.ended_at === null ? <StopExperiment record={experiment} onStopped={reload} /> : <Badge tone="plain">Ended</Badge>}
      >
        <Facts
          rows={[
            ['Held out', `${percent(experiment.holdout_percentage)} of users`],
            ['Started', moment(experiment.started_at)],
            ['Ended', experiment.ended_at === null ? 'still running' : moment(experiment.ended_at)],
            ['Coverage', coverage(results)],
          ]}
        />
      </Card>
      <Health findings={results.health ?? []} />
      <section class="card answer-card" aria-label="The decision in words">
        <p class="answer">{decision(results)}</p>
        {nothing && <p class="note">No session with an arm has been judged yet. Publish sessions with retrieval_experiment_id and retrieval_experiment_arm, and wait for their judgement.</p>}
      </section>
      <Effect results={results} />
      <Arms treatment={results.treatment} holdout={results.holdout} />
    </>
  );
}

function coverage(results: ExperimentResults): string {
  if (results.evaluated_session_coverage === null) return 'not measured: nothing judged in its time';
  return `${share(results.evaluated_session_coverage)}; ${counted(results.unattributed_evaluated_session_count, 'session')} without an arm`;
}

function Effect({ results }: { results: ExperimentResults }) {
  const lift = results.success_rate_lift_percentage_points;
  const ci = results.confidence_interval_95_percentage_points;
  if (lift === null || ci === null) return null;
  const rows: ForestRow[] = [{ name: 'Lift of success', value: lift, ci, n: results.treatment.evaluated_session_count + results.holdout.evaluated_session_count }];
  if (results.cluster_robust) {
    rows.push({ name: 'Textbook (cluster-robust)', value: lift, ci: results.cluster_robust.interval_95_percentage_points, weight: 'second' });
  }
  const summary = `Lift ${points(lift)}, 95 % interval ${interval(ci, (value) => change(value))}, from ${counted(results.treatment.evaluated_user_count, 'treated user')} and ${count(results.holdout.evaluated_user_count)} held out.`;
  return (
    <Card
      title="Effect of retrieval on success"
      note={`Percentage points. The interval counts users, not sessions, and keeps its promise with few users too. Relative lift: ${results.relative_success_lift === null ? 'not defined' : `${change(results.relative_success_lift * 100)} %`}.`}
    >
      <Forest title="Lift of success" summary={summary} rows={rows} left="retrieval hurts" right="retrieval helps" />
    </Card>
  );
}
