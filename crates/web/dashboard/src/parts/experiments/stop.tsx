/** Asks before an experiment is stopped, and says what is kept. */
import { useState } from 'preact/hooks';
import { stopExperiment } from '../../api/calls';
import { ApiFailure } from '../../api/client';
import type { ExperimentRecord } from '../../api/types';
import { Dialog } from '../../ui/dialog';
import { Notice } from '../../ui/parts';

export function StopExperiment({ record, onStopped }: { record: ExperimentRecord; onStopped: () => void }) {
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const stop = async () => {
    try {
      await stopExperiment(record.experiment_id);
    } catch (error) {
      const known = error as ApiFailure;
      if (known.code !== 'experiment_not_active') {
        setFailure(known);
        return;
      }
    }
    setAsking(false);
    onStopped();
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Stop…
      </button>
      {asking && (
        <Dialog title={`Stop ${record.experiment_id}?`} onClose={() => setAsking(false)}>
          <ul class="bullets">
            <li>From now on every user gets retrieved learnings again.</li>
            <li>What was published with an arm keeps it, and the results stay and can be read at any time.</li>
            <li>Sessions that are still waiting for judgement will still be counted.</li>
            <li>It cannot be started again, and its name cannot be used again.</li>
          </ul>
          {failure && <Notice tone="bad">{failure.message}</Notice>}
          <div class="row">
            <button type="button" class="danger" onClick={() => void stop()}>
              Stop the experiment
            </button>
            <button type="button" autoFocus onClick={() => setAsking(false)}>
              Let it run
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
