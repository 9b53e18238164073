/** Who is signed in, what they may do, and how they leave. */
import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { signIn, signOut, whoAmI } from '../api/calls';
import { ApiFailure, whenSignedOut } from '../api/client';
import type { WhoAmI } from '../api/types';

export type SessionState =
  | { step: 'asking' }
  | { step: 'out'; failure: ApiFailure | null; expired: boolean }
  | { step: 'unreachable'; failure: ApiFailure }
  | { step: 'in'; who: WhoAmI };

interface Session {
  state: SessionState;
  enter: (token: string) => Promise<void>;
  leave: () => Promise<void>;
  retry: () => void;
}

const Context = createContext<Session | null>(null);

export function SessionProvider({ token, children }: { token: string | null; children: ComponentChildren }) {
  const [state, setState] = useState<SessionState>({ step: 'asking' });

  const ask = useCallback(async () => {
    try {
      setState({ step: 'in', who: await whoAmI() });
    } catch (error) {
      const failure = error as ApiFailure;
      if (failure.kind === 'signed_out') setState({ step: 'out', failure: null, expired: false });
      else setState({ step: 'unreachable', failure });
    }
  }, []);

  const enter = useCallback(
    async (typed: string) => {
      try {
        await signIn(typed);
      } catch (error) {
        setState({ step: 'out', failure: error as ApiFailure, expired: false });
        return;
      }
      await ask();
    },
    [ask],
  );

  const leave = useCallback(async () => {
    await signOut().catch(() => undefined);
    setState({ step: 'out', failure: null, expired: false });
  }, []);

  useEffect(() => {
    whenSignedOut(() => setState({ step: 'out', failure: null, expired: true }));
    void (token === null ? ask() : enter(token));
  }, []);

  const retry = useCallback(() => {
    setState({ step: 'asking' });
    void ask();
  }, [ask]);
  return <Context.Provider value={{ state, enter, leave, retry }}>{children}</Context.Provider>;
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === null) throw new Error('useSession outside of SessionProvider');
  return session;
}

/** Whether the one signed in holds a permission. */
export function useMay(permission: string): boolean {
  const { state } = useSession();
  return state.step === 'in' && state.who.permissions.includes(permission);
}
