/** Fails the build when the first JavaScript of any page (entry and the overview's chunk) outgrows 90 KB gzip. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const LIMIT = 90 * 1024;
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const manifest = JSON.parse(await readFile(`${dist}.vite/manifest.json`, 'utf8'));

/** Every script a browser must have before the chunk `key` can run. */
function scripts(key, seen = new Set()) {
  const chunk = manifest[key];
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const next of chunk.imports ?? []) scripts(next, seen);
  return seen;
}

async function gzipped(files) {
  let sum = 0;
  for (const file of files) sum += gzipSync(await readFile(dist + file), { level: 9 }).length;
  return sum;
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const rows = [['entry alone', await gzipped(scripts(entry))]];
for (const key of manifest[entry].dynamicImports ?? []) {
  rows.push([key.replace('src/pages/', ''), await gzipped(scripts(key, scripts(entry)))]);
}
for (const [name, bytes] of rows) console.log(`${(bytes / 1024).toFixed(1).padStart(7)} KB gzip  ${name}`);
const worst = Math.max(...rows.map(([, bytes]) => bytes));
if (worst > LIMIT) {
  console.error(`First JavaScript is ${(worst / 1024).toFixed(1)} KB gzip; the limit is 90 KB.`);
  process.exit(1);
}
