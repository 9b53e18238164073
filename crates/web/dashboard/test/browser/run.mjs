/**
 * Runs the browser tests: `node test/browser/run.mjs [FILE…]`.
 * First against the real binary with demonstration data, then against the stub what a real server cannot easily show.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHouse } from './house.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));
const chosen = process.argv.slice(2);
const filesIn = (folder) => readdirSync(join(here, folder)).filter((name) => name.endsWith('.test.mjs')).map((name) => join(here, folder, name));
const wanted = (folder) => filesIn(folder).filter((file) => chosen.length === 0 || chosen.some((part) => file.includes(part)));

function tests(files, env) {
  if (files.length === 0) return 0;
  const child = spawn(process.execPath, ['--test', '--test-concurrency=1', ...files], { stdio: 'inherit', env: { ...process.env, ...env } });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

const real = wanted('real');
let code = 0;
if (real.length > 0) {
  const began = Date.now();
  const house = await openHouse();
  console.log(`the demonstration data is ready after ${((Date.now() - began) / 1000).toFixed(1)} s`);
  try {
    code = await tests(real, {
      TOUCHSTONE_URL: house.url,
      TOUCHSTONE_TOKEN: house.tokens.demo,
      TOUCHSTONE_TOKEN_EMPTY: house.tokens.empty,
      TOUCHSTONE_TOKEN_PLAIN: house.tokens.plain,
      TOUCHSTONE_PRODUCTION_KEY: house.tokens.production,
    });
  } finally {
    await house.close();
  }
}
code = (await tests(wanted('stub'), {})) || code;
process.exitCode = code;
