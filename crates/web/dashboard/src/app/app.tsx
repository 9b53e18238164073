/** Decides what stands on the screen: the sign-in form, a page, or the word that there is no such page. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from '../api/client';
import { SignIn } from '../pages/sign-in';
import { Failed, Loading, Nothing } from '../ui/states';
import { Link, match, Router, useNavigation } from './router';
import { SessionProvider, useSession } from './session';
import { PageHead, Shell } from './shell';

type Params = Record<string, string>;
type Page = ComponentType<{ params: Params }>;
type Load = () => Promise<{ default: Page }>;

const routes: [string, Load][] = [
  ['/', () => import('../pages/overview')],
  ['/compare', () => import('../pages/compare')],
  ['/sessions', () => import('../pages/sessions')],
  ['/sessions/:user/:session', () => import('../pages/session')],
  ['/shadow', () => import('../pages/shadow')],
  ['/jobs', () => import('../pages/jobs')],
  ['/experiments', () => import('../pages/experiments')],
  ['/experiments/:id', () => import('../pages/experiment')],
  ['/governance', () => import('../pages/governance')],
  ['/system', () => import('../pages/system')],
];

export function App({ token }: { token: string | null }) {
  return (
    <Router>
      <SessionProvider token={token}>
        <Gate />
      </SessionProvider>
    </Router>
  );
}

function Gate() {
  const { state, retry } = useSession();
  const { place, go } = useNavigation();
  useEffect(() => {
    if (state.step === 'in' && place.path === '/sign-in') go('/', 'replace');
  }, [state.step, place.path]);
  if (state.step === 'asking') return <Loading what="your session" />;
  if (state.step === 'out') return <SignIn failure={state.failure} expired={state.expired} />;
  if (state.step === 'unreachable') {
    return (
      <main class="alone">
        <h1>Touchstone</h1>
        <Failed failure={state.failure} what="your session" retry={retry} />
      </main>
    );
  }
  return (
    <Shell>
      <Current />
    </Shell>
  );
}

function Current() {
  const { place } = useNavigation();
  for (const [pattern, load] of routes) {
    const params = match(pattern, place.path);
    if (params !== null) return <Lazy key={place.path} load={load} params={params} />;
  }
  return <NotFound />;
}

const loaded = new Map<Load, Page>();

function Lazy({ load, params }: { load: Load; params: Params }) {
  const [, redraw] = useState(0);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const Ready = loaded.get(load);
  const fetchPage = () => {
    setFailure(null);
    load()
      .then((module) => {
        loaded.set(load, module.default);
        redraw((old) => old + 1);
      })
      .catch(() => setFailure(new ApiFailure('offline', 'This page could not be loaded; the server may have been updated.')));
  };
  useEffect(() => {
    if (!Ready) fetchPage();
  }, [load]);
  if (failure) return <Failed failure={failure} what="this page" retry={() => location.reload()} />;
  return Ready ? <Ready params={params} /> : <Loading what="this page" />;
}

function NotFound() {
  return (
    <>
      <PageHead title="No such page" />
      <Nothing
        cause="Nothing lives at this address."
        action={
          <Link to="/" class="button">
            Go to the overview
          </Link>
        }
      />
    </>
  );
}
