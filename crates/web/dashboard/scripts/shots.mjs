/** Takes a picture of every page: `node scripts/shots.mjs OUT [demo|empty|plain|error]`, wide and narrow, light and dark. */
import { mkdir } from 'node:fs/promises';
import { open, pages, settled, signedIn, tokens, visitor } from '../test/browser/support.mjs';

const [out = 'shots', mode = 'demo', only] = process.argv.slice(2);
await mkdir(out, { recursive: true });
const world = await open();
const views = [[1280, 'light'], [1280, 'dark'], [390, 'light'], [390, 'dark']];
for (const [width, colorScheme] of views) {
  const options = { viewport: { width, height: 900 }, colorScheme };
  const name = (path) => `${out}/${path.replace(/^\//, '').replace(/[/?=]/g, '-') || 'overview'}-${width}-${colorScheme}.png`;
  if (!only) {
    const guest = await visitor(world, options);
    await guest.page.goto('/');
    await settled(guest.page);
    await guest.page.screenshot({ path: name('/sign-in'), fullPage: true });
  }
  const { page } = await signedIn(world, tokens[mode], '/', options);
  const list = only ? [only] : [...pages, ...(mode === 'demo' ? ['/experiments/autumn-holdout'] : [])];
  for (const path of list) {
    await page.goto(path);
    await settled(page);
    await page.screenshot({ path: name(path), fullPage: true });
  }
  if (mode === 'demo' && !only) {
    await page.goto('/sessions?outcome=failure');
    await settled(page);
    await page.locator('tbody a').first().click();
    await page.getByRole('heading', { name: 'Transcript' }).waitFor();
    await settled(page);
    await page.screenshot({ path: name('/session'), fullPage: true });
  }
  await page.context().close();
}
await world.close();
