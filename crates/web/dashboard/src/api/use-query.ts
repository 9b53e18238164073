/** Asks the server when a key changes, forgets late answers, and keeps the old answer in view while a new one is on its way. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure } from './client';

export interface Query<T> {
  data: T | null;
  failure: ApiFailure | null;
  busy: boolean;
  reload: () => void;
}

/** Runs `ask` for `key`; a null key asks nothing. */
export function useQuery<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): Query<T> {
  const [state, setState] = useState<{ key: string | null; data: T | null; failure: ApiFailure | null; busy: boolean }>({
    key: null,
    data: null,
    failure: null,
    busy: key !== null,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;

  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    setState((old) => ({ ...old, busy: true }));
    latest
      .current(abort.signal)
      .then((data) => !abort.signal.aborted && setState({ key, data, failure: null, busy: false }))
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        setState({ key, data: null, failure: asFailure(error), busy: false });
      });
    return () => abort.abort();
  }, [key, round]);

  const reload = useCallback(() => setRound((old) => old + 1), []);
  return { data: state.data, failure: state.failure, busy: state.busy, reload };
}

function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure('other', error instanceof Error ? error.message : 'Something went wrong in this page.');
}

/** Asks again every `milliseconds` while `active`. */
export function usePolling(active: boolean, milliseconds: number, reload: () => void): void {
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(reload, milliseconds);
    return () => clearInterval(timer);
  }, [active, milliseconds, reload]);
}
