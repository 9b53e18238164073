/** Chooses a window, says what a replay of it would cost, and starts it. */
import { useState } from 'preact/hooks';
import { previewReplay, startReplay } from '../../api/calls';
import { ApiFailure } from '../../api/client';
import type { RegeneratePreview, RegenerateStatus } from '../../api/types';
import { Link, useNavigation, withQuery } from '../../app/router';
import { nowMinute } from '../../app/window';
import { count, counted } from '../../format/number';
import { duration, fromDateField, toDateField } from '../../format/time';
import { Card, Notice } from '../../ui/parts';
import { DateField } from '../../ui/window-bar';

const WEEK = 7 * 86_400;
const DAY = 86_400;

interface StartProps {
  live: RegenerateStatus | null;
  onStarted: () => void;
}

type Preview = RegeneratePreview | 'unknown';

export function StartReplay({ live, onStarted }: StartProps) {
  const { place, go } = useNavigation();
  const to = fromDateField(place.query.get('to') ?? '') ?? nowMinute();
  const from = fromDateField(place.query.get('from') ?? '') ?? to - WEEK;
  const window = { from_ts: Math.floor(from / DAY) * DAY, to_ts: Math.floor(to / DAY) * DAY + DAY - 1 };
  const [preview, setPreview] = useState<Preview | null>(null);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [busy, setBusy] = useState(false);
  const choose = (changes: Record<string, string>) => {
    setPreview(null);
    go(withQuery(place, { from: toDateField(from), to: toDateField(to), ...changes }), 'replace');
  };
  const attempt = async (act: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setFailure(null);
    await act().catch((error: unknown) => setFailure(error instanceof ApiFailure ? error : new ApiFailure('other', String(error))));
    setBusy(false);
  };
  const look = () => attempt(async () => setPreview(await previewReplay(window).catch(asUnknown)));
  const start = () =>
    attempt(async () => {
      const job = await startReplay(window);
      setPreview(null);
      go(withQuery(place, { job: job.job_id }));
      onStarted();
    });
  return (
    <Card title="Start a replay" note="Both days included, UTC. Verdicts of judged sessions are replaced in place.">
      {live && (
        <Notice tone="info">
          One replay runs at a time; <Link to={withQuery(place, { job: live.job_id })}>{live.job_id}</Link> is still at work.
        </Notice>
      )}
      {from > to && <Notice tone="warn">The first day lies after the last one.</Notice>}
      <div class="window-bar" id="replay-window">
        <DateField label="From" value={toDateField(from)} onChoose={(text) => choose({ from: text })} />
        <DateField label="To" value={toDateField(to)} onChoose={(text) => choose({ to: text })} />
        <button type="button" aria-disabled={busy || from > to} onClick={() => from <= to && void look()}>
          Estimate
        </button>
      </div>
      <div role="status">{preview && <Estimate preview={preview} />}</div>
      {preview && preview !== 'unknown' && preview.sampled_count === 0 ? null : preview && (
        <div>
          <button type="button" class="primary" aria-disabled={busy} onClick={() => void start()}>
            Start the replay
          </button>
        </div>
      )}
      {failure && <Refusal failure={failure} />}
    </Card>
  );
}

function asUnknown(error: unknown): Preview {
  if (error instanceof ApiFailure && error.kind === 'missing') return 'unknown';
  throw error;
}

function Estimate({ preview }: { preview: Preview }) {
  if (preview === 'unknown') return <p>This server gives no estimate; the job itself will say how many sessions it samples.</p>;
  if (preview.total_candidates === 0) return <p>No session has a request in this window. Choose another window.</p>;
  const time = preview.estimated_seconds === null ? 'How long it takes is not known yet' : `It takes about ${duration(preview.estimated_seconds)}`;
  return (
    <p>
      {`${counted(preview.total_candidates, 'session')} in the window, ${count(preview.sampled_count)} sampled and judged, at most ${count(preview.concurrency_limit)} at the same time. ${time}.`}
    </p>
  );
}

function Refusal({ failure }: { failure: ApiFailure }) {
  if (failure.code === 'regeneration_running') {
    return <Notice tone="info">Another replay is running. Wait for it to finish, or cancel it; nothing new was started.</Notice>;
  }
  return <Notice tone="bad">{failure.message}</Notice>;
}
