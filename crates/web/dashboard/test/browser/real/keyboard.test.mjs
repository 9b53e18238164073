import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { grave, open, pages, settled, signedIn, stopRunning, tokens } from '../support.mjs';

let world;
before(async () => (world = await open()));
after(async () => world.close());

const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim().slice(0, 40) ?? '');

test('the first Tab offers to skip to the content', async () => {
  const { page } = await signedIn(world, tokens.demo);
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
});

test('Tab alone reaches everything that can be used, on every page', async () => {
  const { page } = await signedIn(world, tokens.demo);
  for (const path of pages) {
    await page.goto(path);
    await settled(page);
    const wanted = await page.evaluate(() => {
      const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')].filter((element) => element.checkVisibility({ visibilityProperty: true }));
      all.forEach((element, at) => element.setAttribute('data-stop', String(at)));
      return all.length;
    });
    const seen = new Set();
    for (let press = 0; press < wanted + 20 && seen.size < wanted; press += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => document.activeElement?.getAttribute('data-stop') ?? null);
      if (stop !== null) seen.add(stop);
    }
    assert.equal(seen.size, wanted, path);
  }
});

test('after a change of page the focus stands on its heading', async () => {
  const { page } = await signedIn(world, tokens.demo);
  await page.getByRole('link', { name: 'Experiments', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Experiments' }).waitFor();
  assert.equal(await focused(page), 'Experiments');
  assert.equal(await page.title(), 'Experiments · Touchstone');
});

test('a dialog holds the focus, closes on Escape and gives the focus back', async () => {
  const { page } = await signedIn(world, tokens.demo);
  await stopRunning(page);
  await page.goto('/experiments');
  await page.getByLabel('Name').fill(`keys-${Date.now().toString(36)}`);
  await page.keyboard.press('Enter');
  const stop = page.getByRole('button', { name: 'Stop…' });
  await stop.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.closest('dialog') !== null), true);
  assert.deepEqual(await grave(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'Stop…');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  assert.equal(await focused(page), 'Let it run');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Start an experiment' }).waitFor();
});
