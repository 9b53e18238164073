/** Trades a dashboard credential for a session; the credential stays in the form and is gone with it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiFailure } from '../api/client';
import { useSession } from '../app/session';
import { ThemeChoice } from '../app/shell';
import { Mark } from '../ui/mark';
import { Field, Notice } from '../ui/parts';

export function SignIn({ failure, expired }: { failure: ApiFailure | null; expired: boolean }) {
  const { enter } = useSession();
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Touchstone';
    field.current?.focus();
  }, [failure]);
  const submit = async (event: Event) => {
    event.preventDefault();
    setMissing(token.trim() === '');
    if (token.trim() === '') return;
    setBusy(true);
    await enter(token.trim());
    setToken('');
    setBusy(false);
  };
  return (
    <main class="alone sign-in">
      <div class="brand">
        <Mark />
        <span>Touchstone</span>
      </div>
      <h1>Sign in</h1>
      {expired && !failure && <Notice tone="info">Your session has ended. Sign in again to go on where you were.</Notice>}
      {failure && <Notice tone="bad">{refusal(failure)}</Notice>}
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <Field label="Dashboard token" error={missing ? 'Paste a token first.' : null} hint="It is traded for a session cookie and kept nowhere else.">
          {(ids) => (
            <input
              {...ids}
              ref={field}
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
      <details>
        <summary>Where do I get a token?</summary>
        <p>A new server on your own machine prints a sign-in link once. Later, make a credential where the server runs:</p>
        <pre>touchstone credential create --org default --kind dashboard</pre>
        <p>
          Add <code>--governance</code> for somebody who exports and erases users.
        </p>
      </details>
      <ThemeChoice />
    </main>
  );
}

/** Why the server said no, and what would work. */
function refusal(failure: ApiFailure) {
  if (failure.kind === 'forbidden') {
    return (
      <>
        <strong>This is a production key.</strong> It belongs to an agent and cannot sign in to the dashboard. Use a dashboard credential instead.
      </>
    );
  }
  if (failure.kind === 'signed_out' || failure.kind === 'invalid') {
    return (
      <>
        <strong>This token is not known.</strong> It may be mistyped, expired or revoked.
      </>
    );
  }
  return (
    <>
      <strong>Signing in did not work.</strong> {failure.message}
    </>
  );
}
