/** Plans and starts an experiment; says beforehand what it does to users and what it will be able to show. */
import { useState } from 'preact/hooks';
import { startExperiment } from '../../api/calls';
import { ApiFailure } from '../../api/client';
import type { ExperimentRecord } from '../../api/types';
import { experimentPath, Link } from '../../app/router';
import { moment } from '../../format/time';
import { Card, Field, Notice } from '../../ui/parts';
import { Planner } from './planner';

interface StartProps {
  active: ExperimentRecord | null;
  reload: () => void;
}

export function StartExperiment({ active, reload }: StartProps) {
  const [id, setId] = useState('');
  const [holdout, setHoldout] = useState('10');
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const share = Number(holdout);
  const errors = { id: idError(id), holdout: holdout.trim() === '' || !(share > 0 && share < 100) ? 'More than 0 and less than 100.' : null };
  const submit = async (event: Event) => {
    event.preventDefault();
    setTried(true);
    setFailure(null);
    if (errors.id || errors.holdout) return;
    try {
      await startExperiment({ experiment_id: id.trim(), holdout_percentage: share });
      setId('');
      setTried(false);
    } catch (error) {
      setFailure(error as ApiFailure);
    }
    reload();
  };
  if (active) return <OneAtATime active={active} refused={failure?.code === 'experiment_already_active'} />;
  return (
    <Card title="Start an experiment">
      <form class="stack" onSubmit={(event) => void submit(event)} noValidate>
        <div class="fields">
          <Field label="Name" hint="Never used before; it cannot be changed later." error={tried ? errors.id : null}>
            {(ids) => <input {...ids} type="text" maxLength={128} value={id} onInput={(event) => setId(event.currentTarget.value)} />}
          </Field>
          <Field label="Held out, in percent of users" hint="Fixed for the whole run." error={tried ? errors.holdout : null}>
            {(ids) => <input {...ids} type="number" min="0.1" max="99.9" step="0.1" inputMode="decimal" value={holdout} onInput={(event) => setHoldout(event.currentTarget.value)} />}
          </Field>
        </div>
        {errors.holdout === null && <Planner holdoutPercentage={share} />}
        <Notice tone="info">
          <p>
            <strong>What starting does.</strong> {`About ${share > 0 && share < 100 ? share : 'the chosen'} % of users find nothing when their agent searches, without an error. All users keep publishing, being judged and feeding the learning. It takes effect at once, for every server.`}
          </p>
        </Notice>
        {failure && <Refusal failure={failure} />}
        <div>
          <button type="submit" class="primary">
            Start the experiment
          </button>
        </div>
      </form>
    </Card>
  );
}

function idError(id: string): string | null {
  const trimmed = id.trim();
  if (trimmed === '') return 'Give the experiment a name.';
  return trimmed.length > 128 ? 'At most 128 characters.' : null;
}

function OneAtATime({ active, refused }: { active: ExperimentRecord; refused: boolean }) {
  return (
    <Notice tone="info">
      <p>
        {refused ? 'Nothing new was started: somebody else has just started ' : 'One experiment runs at a time. Now it is '}
        <Link to={experimentPath(active.experiment_id)}>{active.experiment_id}</Link>
        {`, since ${moment(active.started_at)}. Stop it before you start another.`}
      </p>
    </Notice>
  );
}

function Refusal({ failure }: { failure: ApiFailure }) {
  if (failure.code === 'experiment_id_reused') {
    return <Notice tone="warn">This name was used before. A name stands for one experiment for ever, so that results cannot be confused; choose another.</Notice>;
  }
  return <Notice tone="bad">{failure.message}</Notice>;
}
