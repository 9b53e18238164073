/** The frame around every page: skip link, navigation, who is signed in, and the moving of focus after a change of page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Mark } from '../ui/mark';
import { Link, useNavigation } from './router';
import { useSession } from './session';
import { chooseTheme, storedTheme, type Theme } from './theme';
import { sharedQuery } from './window';

const pages: [string, string, 'windowed' | 'plain'][] = [
  ['/', 'Overview', 'windowed'],
  ['/compare', 'Compare', 'windowed'],
  ['/sessions', 'Sessions', 'windowed'],
  ['/shadow', 'Shadow', 'windowed'],
  ['/jobs', 'Jobs', 'plain'],
  ['/experiments', 'Experiments', 'plain'],
  ['/governance', 'Governance', 'plain'],
  ['/system', 'System', 'plain'],
];

const isHere = (path: string, page: string) => (page === '/' ? path === '/' : path === page || path.startsWith(`${page}/`));

export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Link to="/" class="brand">
          <Mark />
          <span>Touchstone</span>
        </Link>
        <Pages />
        <Account />
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Pages() {
  const { place } = useNavigation();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [place.path]);
  return (
    <nav class="pages" aria-label="Pages" data-open={open ? '' : undefined}>
      <button type="button" class="quiet menu" aria-expanded={open} aria-controls="page-list" onClick={() => setOpen(!open)}>
        Menu
      </button>
      <ul id="page-list">
        {pages.map(([path, name, kind]) => (
          <li key={path}>
            <Link to={path + (kind === 'windowed' ? sharedQuery(place) : '')} aria-current={isHere(place.path, path) ? 'page' : undefined}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Account() {
  const { state, leave } = useSession();
  return (
    <div class="account">
      <ThemeChoice />
      {state.step === 'in' && (
        <>
          <span class="org" title="Organization">
            {state.who.org_id}
          </span>
          <button type="button" class="quiet" onClick={() => void leave()}>
            Sign out
          </button>
        </>
      )}
    </div>
  );
}

const themes: [Theme, string][] = [
  ['system', 'Auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme);
  return (
    <label class="theme">
      <span class="hidden">Colours</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = event.currentTarget.value as Theme;
          chooseTheme(chosen);
          setTheme(chosen);
        }}
      >
        {themes.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The head of a page; takes the focus when the page changes, so that a screen reader starts there. */
export function PageHead({ title, lead, children }: { title: string; lead?: ComponentChildren; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { place } = useNavigation();
  useEffect(() => {
    document.title = `${title} · Touchstone`;
  }, [title]);
  useEffect(() => {
    if (moved) heading.current?.focus({ preventScroll: true });
    if (moved) scrollTo(0, 0);
    moved = true;
  }, [place.path]);
  return (
    <div class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p class="lead">{lead}</p>}
      </div>
      {children}
    </div>
  );
}

/** The first page of a visit leaves the focus where the browser put it. */
let moved = false;
