/** The four things a page shows when it has no data: waiting, nothing there, something broke, not allowed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure } from '../api/client';
import type { Query } from '../api/use-query';

const SLOW_MS = 6_000;

/** Says what is awaited, and after a while that it takes long; the call itself has a time limit, so this always ends. */
export function Loading({ what }: { what: string }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="state loading" role="status" data-state="loading">
      <span class="pulse" aria-hidden="true" />
      <p>{slow ? `Still waiting for ${what}; it takes longer than usual.` : `Loading ${what}…`}</p>
    </div>
  );
}

/** Names why there is nothing, and one thing to do next. */
export function Nothing({ cause, detail, action }: { cause: string; detail?: ComponentChildren; action: ComponentChildren }) {
  return (
    <div class="state nothing" data-state="empty">
      <p class="cause">{cause}</p>
      {detail && <p class="detail">{detail}</p>}
      <div class="next">{action}</div>
    </div>
  );
}

interface FailedProps {
  failure: ApiFailure;
  what: string;
  retry: () => void;
}

/** Says what broke in the words of the server, with the reference that finds it in the log. */
export function Failed({ failure, what, retry }: FailedProps) {
  if (failure.kind === 'forbidden') return <Forbidden detail={failure.message} />;
  return (
    <div class="state failed" role="alert" data-state="error">
      <p class="cause">
        <span aria-hidden="true">▲ </span>
        {titles[failure.kind] ?? `Could not load ${what}.`}
      </p>
      <p class="detail">{failure.message}</p>
      {failure.problem?.request_id && (
        <p class="reference">
          Reference <code>{failure.problem.request_id}</code> · code <code>{failure.code}</code>
        </p>
      )}
      <div class="next">
        <button type="button" onClick={retry}>
          Try again
        </button>
      </div>
    </div>
  );
}

const titles: Partial<Record<ApiFailure['kind'], string>> = {
  unavailable: 'The storage behind this page is not available.',
  offline: 'The server cannot be reached.',
  slow: 'The server did not answer in time.',
  missing: 'This is not here.',
};

/** Says which permission is missing and how to get it. */
export function Forbidden({ detail, children }: { detail?: string; children?: ComponentChildren }) {
  return (
    <div class="state forbidden" data-state="forbidden">
      <p class="cause">
        <span aria-hidden="true">⊘ </span>Your credential does not allow this.
      </p>
      {detail && <p class="detail">{detail}</p>}
      {children}
    </div>
  );
}

interface LoadedProps<T> {
  query: Query<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}

/** Shows the answer of a query, or the state it is in instead. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  if (query.failure) return <Failed failure={query.failure} what={what} retry={query.reload} />;
  if (query.data === null) return <Loading what={what} />;
  return (
    <div class="loaded" aria-busy={query.busy}>
      {children(query.data)}
    </div>
  );
}
