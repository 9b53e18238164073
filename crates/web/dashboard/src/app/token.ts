/** Takes a credential out of the address before anything else can see it there. */

/** Finds `token` in the fragment or the query, removes it from the address and the history entry, and hands it over. */
export function takeToken(): string | null {
  const fragment = new URLSearchParams(location.hash.replace(/^#/, ''));
  const query = new URLSearchParams(location.search);
  const token = fragment.get('token') ?? query.get('token');
  if (token === null) return null;
  query.delete('token');
  const rest = query.toString();
  const path = location.pathname === '/sign-in' ? '/' : location.pathname;
  history.replaceState(null, '', rest === '' ? path : `${path}?${rest}`);
  return token;
}
