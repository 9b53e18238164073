/** Starts the real binary on a database of its own: filled with the demonstration data, and thrown away afterwards. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const binary = process.env.TOUCHSTONE_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/touchstone');

/** One organization with the demonstration data and one with nothing, and a credential of each kind. */
export async function openHouse() {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-browser-'));
  const env = { ...process.env, TOUCHSTONE_DATABASE_URL: `sqlite://${join(folder, 'touchstone.db')}` };
  const command = async (...words) => (await run(binary, words, { env, cwd: folder, maxBuffer: 1 << 26 })).stdout;
  const token = async (...words) => JSON.parse(await command('credential', 'create', '--json', ...words)).token;
  // The link that `demo` prints is the one that signs in.
  const demo = JSON.parse(await command('demo', '--small', '--json')).token;
  const tokens = {
    demo,
    empty: await token('--org', 'empty', '--kind', 'dashboard', '--governance'),
    plain: await token('--org', 'demo', '--kind', 'dashboard'),
    production: await token('--org', 'demo', '--kind', 'production'),
  };
  const server = spawn(binary, ['serve', '--listen', '127.0.0.1:0'], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await addressOf(server);
  return {
    url,
    tokens,
    async close() {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The server says where it answers; its log is shown only when it does not get that far. */
function addressOf(server) {
  return new Promise((resolve, reject) => {
    let said = '';
    let log = '';
    server.stdout.on('data', (chunk) => {
      said += chunk;
      const found = /answers on (http:\/\/\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    server.stderr.on('data', (chunk) => (log = (log + chunk).slice(-4_000)));
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}${log}`)));
    server.once('error', reject);
  });
}
