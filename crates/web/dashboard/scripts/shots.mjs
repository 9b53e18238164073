/** Takes the pictures that the README shows, on demonstration data: `npm run shots`. */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openHouse } from '../test/browser/house.mjs';
import { launch, settled, signedIn } from '../test/browser/support.mjs';

const out = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));
await mkdir(out, { recursive: true });
const house = await openHouse();
const world = { browser: await launch(), url: house.url };

try {
  const { page } = await signedIn(world, house.tokens.demo, '/', { viewport: { width: 1280, height: 1000 }, colorScheme: 'light' });
  await page.screenshot({ path: `${out}overview.png` });

  await page.goto('/experiments');
  await settled(page);
  await page.locator('tbody th a').last().click();
  await page.locator('.answer').waitFor();
  await settled(page);
  await page.screenshot({ path: `${out}experiment.png` });

  await page.goto('/sessions');
  await settled(page);
  const user = decodeURIComponent((await page.locator('tbody a').first().getAttribute('href')).split('/')[2]);
  await page.goto('/governance?tab=erase');
  await page.getByLabel('User id').fill(user);
  await page.getByLabel('Request id').fill('letter-17');
  await page.getByRole('button', { name: 'Show what would be erased' }).click();
  await page.getByLabel('Type the user id to erase it').fill(user);
  await page.getByRole('button', { name: 'Erase this user' }).click();
  await page.getByRole('article', { name: 'Receipt of the erasure' }).waitFor({ timeout: 60_000 });
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: `${out}erase-receipt.png` });
} finally {
  await world.browser.close();
  await house.close();
}
