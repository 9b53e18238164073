/** The two fields of every governance request: whose data, and under which ticket. */
import { useState } from 'preact/hooks';
import type { Ticket } from '../../api/calls';
import { Field } from '../../ui/parts';

interface TicketFormProps {
  action: string;
  busy: boolean;
  onSubmit: (ticket: Ticket) => void;
}

export function TicketForm({ action, busy, onSubmit }: TicketFormProps) {
  const [user, setUser] = useState('');
  const [request, setRequest] = useState('');
  const [tried, setTried] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (busy || user.trim() === '' || request.trim() === '') return;
    onSubmit({ user_id: user.trim(), request_id: request.trim() });
  };
  return (
    <form class="stack" onSubmit={submit} noValidate autocomplete="off">
      <Field label="User id" hint="Exactly as your agent sends it." error={tried && user.trim() === '' ? 'Name the user.' : null}>
        {(ids) => <input {...ids} type="text" maxLength={255} autocomplete="off" spellcheck={false} value={user} onInput={(event) => setUser(event.currentTarget.value)} />}
      </Field>
      <Field
        label="Request id"
        hint="The ticket or letter this answers. Repeating the same pair repeats the same answer."
        error={tried && request.trim() === '' ? 'Name the ticket.' : null}
      >
        {(ids) => <input {...ids} type="text" maxLength={255} autocomplete="off" spellcheck={false} value={request} onInput={(event) => setRequest(event.currentTarget.value)} />}
      </Field>
      <div>
        <button type="submit" class="primary" aria-disabled={busy}>
          {action}
        </button>
      </div>
    </form>
  );
}
