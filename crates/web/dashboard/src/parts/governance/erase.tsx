/** Erases a user in steps: look, confirm by typing the id, watch, keep the receipt. */
import { useState } from 'preact/hooks';
import { erase, previewErase, purgeStatus, type Ticket } from '../../api/calls';
import { ApiFailure } from '../../api/client';
import type { ErasePreview, EraseResponse, PurgeStatus } from '../../api/types';
import { Card, Notice } from '../../ui/parts';
import { ConfirmErase } from './confirm';
import { EraseProgress } from './progress';
import { Receipt } from './receipt';
import { TicketForm } from './ticket';

type Step =
  | { name: 'ask' }
  | { name: 'confirm'; ticket: Ticket; preview: ErasePreview | null }
  | { name: 'work'; status: PurgeStatus | null }
  | { name: 'failed'; ticket: Ticket; status: PurgeStatus }
  | { name: 'done'; receipt: EraseResponse };

const LEAST_WAIT_MS = 1_000;
const pause = (milliseconds: number) => new Promise((resume) => setTimeout(resume, milliseconds));

/** Asks until the erasure has ended; the repeat of the same pair then gives the receipt with its counts. */
async function carryOut(ticket: Ticket, onStatus: (status: PurgeStatus) => void): Promise<EraseResponse> {
  for (;;) {
    const answer = await erase(ticket);
    if (answer.body.status === 'complete' || answer.body.status === 'failed') return answer.body;
    onStatus(answer.body);
    let status: PurgeStatus = answer.body;
    while (status.status === 'pending' || status.status === 'running') {
      await pause(Math.max(LEAST_WAIT_MS, (answer.retryAfter ?? 0) * 1_000));
      status = await purgeStatus(answer.body.purge_id);
      onStatus(status);
    }
    if (status.status === 'failed') return status;
  }
}

export function EraseUser() {
  const [step, setStep] = useState<Step>({ name: 'ask' });
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [busy, setBusy] = useState(false);

  const look = async (ticket: Ticket) => {
    setBusy(true);
    setFailure(null);
    try {
      setStep({ name: 'confirm', ticket, preview: await previewErase(ticket.user_id).catch(asNoPreview) });
    } catch (error) {
      setFailure(error as ApiFailure);
    }
    setBusy(false);
  };

  const run = async (ticket: Ticket, preview: ErasePreview | null) => {
    setFailure(null);
    setStep({ name: 'work', status: null });
    try {
      const end = await carryOut(ticket, (status) => setStep({ name: 'work', status }));
      if (end.status === 'complete') setStep({ name: 'done', receipt: end });
      else setStep({ name: 'failed', ticket, status: end });
    } catch (error) {
      setFailure(error as ApiFailure);
      setStep({ name: 'confirm', ticket, preview });
    }
  };

  const again = () => setStep({ name: 'ask' });
  return (
    <div class="stack">
      {failure && <Notice tone="bad">{`${failure.message} If the erasure had begun it goes on by itself; repeating it with the same ids is safe.`}</Notice>}
      {step.name === 'ask' && (
        <Card title="Erase a user" note="Step 1 of 3. Nothing is deleted yet: you first see what would be.">
          <TicketForm action={busy ? 'Looking…' : 'Show what would be erased'} busy={busy} onSubmit={(ticket) => void look(ticket)} />
        </Card>
      )}
      {step.name === 'confirm' && <ConfirmErase ticket={step.ticket} preview={step.preview} onConfirm={() => void run(step.ticket, step.preview)} onBack={again} />}
      {step.name === 'work' && <EraseProgress status={step.status} />}
      {step.name === 'failed' && <Broken status={step.status} onRetry={() => void run(step.ticket, null)} />}
      {step.name === 'done' && <Receipt receipt={step.receipt} onAnother={again} />}
    </div>
  );
}

function asNoPreview(error: unknown): null {
  if (error instanceof ApiFailure && error.kind === 'missing') return null;
  throw error;
}

function Broken({ status, onRetry }: { status: PurgeStatus; onRetry: () => void }) {
  return (
    <Card title="The erasure stopped">
      <EraseProgress status={status} />
      <Notice tone="bad">
        <p>{`${status.error_detail ?? 'No detail was given.'} (${status.error_code ?? 'no code'})`}</p>
        <p>Nothing new can be written about this user meanwhile. Trying again goes on where it stopped.</p>
      </Notice>
      <div>
        <button type="button" class="primary" onClick={onRetry}>
          Try again
        </button>
      </div>
    </Card>
  );
}
