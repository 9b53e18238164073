/** Takes a picture of every page of the real server, wide and narrow, light and dark: `node scripts/gallery.mjs OUT [demo|empty|plain]`. */
import { mkdir } from 'node:fs/promises';
import { openHouse } from '../test/browser/house.mjs';
import { launch, pages, settled, signedIn, visitor } from '../test/browser/support.mjs';

const [out = 'gallery', mode = 'demo'] = process.argv.slice(2);
await mkdir(out, { recursive: true });
const house = await openHouse();
const world = { browser: await launch(), url: house.url };

async function walk(width, colorScheme) {
  const options = { viewport: { width, height: 900 }, colorScheme };
  const take = (page, name) => page.screenshot({ path: `${out}/${name}-${width}-${colorScheme}.png`, fullPage: true });
  const guest = await visitor(world, options);
  await guest.page.goto('/');
  await settled(guest.page);
  await take(guest.page, 'sign-in');
  const { page, context } = await signedIn(world, house.tokens[mode], '/', options);
  for (const path of pages) {
    await page.goto(path);
    await settled(page);
    await take(page, path.replace(/^\//, '').replace(/[/?=]/g, '-') || 'overview');
  }
  for (const [list, name] of [['/sessions?outcome=failure', 'session'], ['/experiments', 'experiment']]) {
    await page.goto(list);
    await settled(page);
    const link = page.locator('tbody th a').last();
    if ((await link.count()) === 0) continue;
    await link.click();
    await page.locator('h1').waitFor();
    await settled(page);
    await take(page, name);
  }
  await context.close();
}

try {
  for (const width of [1280, 390]) for (const colorScheme of ['light', 'dark']) await walk(width, colorScheme);
} finally {
  await world.browser.close();
  await house.close();
}
