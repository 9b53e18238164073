/** The address bar is the state: reads it, changes it through the History API, and tells whoever listens. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';

export interface Place {
  path: string;
  query: URLSearchParams;
}

interface Navigation {
  place: Place;
  go: (to: string, how?: 'push' | 'replace') => void;
}

const read = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });
const Context = createContext<Navigation>({ place: { path: '/', query: new URLSearchParams() }, go: () => {} });

export function Router({ children }: { children: ComponentChildren }) {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const moved = () => setPlace(read());
    addEventListener('popstate', moved);
    return () => removeEventListener('popstate', moved);
  }, []);
  const navigation = useMemo<Navigation>(
    () => ({
      place,
      go(to, how = 'push') {
        if (how === 'push') history.pushState(null, '', to);
        else history.replaceState(null, '', to);
        setPlace(read());
      },
    }),
    [place],
  );
  return <Context.Provider value={navigation}>{children}</Context.Provider>;
}

export const useNavigation = (): Navigation => useContext(Context);

/** The query with some keys changed; null or an empty text removes a key. */
export function withQuery(place: Place, changes: Record<string, string | string[] | null>): string {
  const query = new URLSearchParams(place.query);
  for (const [key, value] of Object.entries(changes)) {
    query.delete(key);
    if (Array.isArray(value)) value.forEach((each) => query.append(key, each));
    else if (value !== null && value !== '') query.set(key, value);
  }
  const text = query.toString();
  return text === '' ? place.path : `${place.path}?${text}`;
}

interface LinkProps {
  to: string;
  class?: string;
  'aria-current'?: 'page' | undefined;
  children: ComponentChildren;
}

/** An ordinary link that does not reload the page. */
export function Link({ to, children, ...rest }: LinkProps) {
  const { go } = useNavigation();
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}

export const sessionPath = (user: string, session: string): string =>
  `/sessions/${encodeURIComponent(user)}/${encodeURIComponent(session)}`;
export const experimentPath = (id: string): string => `/experiments/${encodeURIComponent(id)}`;

/** Matches `/a/:b` against a path; null when it does not fit or a part is not decodable. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const want = pattern.split('/');
  const have = path.replace(/(?<=.)\/$/, '').split('/');
  if (want.length !== have.length) return null;
  const found: Record<string, string> = {};
  for (const [at, part] of want.entries()) {
    const given = have[at] ?? '';
    if (!part.startsWith(':')) {
      if (part !== given) return null;
      continue;
    }
    try {
      found[part.slice(1)] = decodeURIComponent(given);
    } catch {
      return null;
    }
  }
  return found;
}
