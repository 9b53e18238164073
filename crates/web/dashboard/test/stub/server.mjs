/** A small server that stands in for the real one in tests: the built pages, the API on made-up data, and the real headers. */
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoWorld, emptyWorld } from './data.mjs';
import { Refusal, routes } from './routes.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' };
const guard = {
  'content-security-policy': "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Every token is a way to look at the pages; the production key is the one that must be refused. */
export const tokens = { demo: 'stub-demo-token', empty: 'stub-empty-token', plain: 'stub-plain-token', error: 'stub-error-token', production: 'stub-production-key' };

const kinds = {
  [tokens.demo]: { world: demoWorld, permissions: ['governance'] },
  [tokens.empty]: { world: emptyWorld, permissions: ['governance'] },
  [tokens.plain]: { world: demoWorld, permissions: [] },
  [tokens.error]: { world: demoWorld, permissions: ['governance'], broken: true },
};

export function startStub(port = 0) {
  const sessions = new Map();
  const server = createServer((request, response) => {
    handle(request, sessions).then(
      (answer) => send(response, answer),
      (error) => send(response, error instanceof Refusal ? problem(error) : problem(new Refusal(500, 'internal', String(error)))),
    );
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve({ server, url: `http://127.0.0.1:${server.address().port}` })));
}

const problem = (refusal) => ({ status: refusal.status, type: 'application/problem+json', body: JSON.stringify(refusal.body), headers: {} });

function send(response, { status, type, body, headers }) {
  response.writeHead(status, { ...guard, ...(type ? { 'content-type': type } : {}), 'x-request-id': 'req-stub-1', ...headers });
  response.end(body);
}

async function handle(request, sessions) {
  const url = new URL(request.url, 'http://stub');
  if (!url.pathname.startsWith('/api/')) return page(url.pathname);
  const body = await bodyOf(request);
  const cookie = /touchstone_session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
  const session = sessions.get(cookie);
  if (request.method !== 'GET' && request.headers.origin !== `http://${request.headers.host}`) throw new Refusal(403, 'origin_mismatch', 'The Origin does not match.');
  if (url.pathname === '/api/auth/session') return auth(request.method, body, cookie, sessions);
  if (!session) throw new Refusal(401, 'unauthenticated', 'Sign in first.');
  if (session.broken) throw new Refusal(503, 'storage_unavailable', 'The storage does not answer at the moment.');
  for (const [method, pattern, run, permission] of routes) {
    const found = pattern.exec(url.pathname);
    if (method !== request.method || !found) continue;
    if (permission && !session.permissions.includes(permission)) throw new Refusal(403, 'governance_credential_required', 'This needs a credential with the permission governance.');
    const answer = { status: 200, headers: {} };
    const value = run(session.world, body ?? {}, { params: found.slice(1).map(decodeURIComponent), query: url.searchParams, answer });
    return { ...answer, type: 'application/json', body: JSON.stringify(value) };
  }
  throw new Refusal(404, 'not_found', 'There is no such route.');
}

function auth(method, body, cookie, sessions) {
  if (method === 'POST') {
    if (body?.token === tokens.production) throw new Refusal(403, 'dashboard_credential_required', 'A production key cannot sign in.');
    const kind = kinds[body?.token];
    if (!kind) throw new Refusal(401, 'unauthenticated', 'The token is not known.');
    const id = `session-${sessions.size + 1}-${Math.random().toString(36).slice(2)}`;
    sessions.set(id, { world: kind.world(), permissions: kind.permissions, broken: kind.broken });
    return { status: 204, headers: { 'set-cookie': `touchstone_session=${id}; HttpOnly; SameSite=Strict; Path=/` } };
  }
  const session = sessions.get(cookie);
  if (!session) throw new Refusal(401, 'unauthenticated', 'Sign in first.');
  if (method === 'DELETE') {
    sessions.delete(cookie);
    return { status: 204, headers: {} };
  }
  const who = { org_id: session.world.sessions.length > 0 ? 'demo' : 'default', kind: 'session', permissions: session.permissions, expires_at: Math.floor(Date.now() / 1000) + 28_800 };
  return { status: 200, type: 'application/json', body: JSON.stringify(who), headers: {} };
}

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? null : JSON.parse(text);
}

async function page(path) {
  if (path === '/healthz' || path === '/readyz') return { status: 200, type: 'application/json', body: '{"status":"ok"}', headers: {} };
  const asset = normalize(path).replace(/^\/+/, '');
  const isAsset = extname(asset) !== '' && !asset.startsWith('sessions');
  const file = join(dist, isAsset ? asset : 'index.html');
  try {
    return { status: 200, type: types[extname(file)] ?? 'application/octet-stream', body: await readFile(file), headers: {} };
  } catch {
    throw new Refusal(404, 'not_found', 'There is no such file.');
  }
}
