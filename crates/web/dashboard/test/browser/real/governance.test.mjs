import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { grave, open, settled, signedIn, tokens } from '../support.mjs';

let world;
before(async () => (world = await open()));
after(async () => world.close());

async function someUser(page) {
  await page.goto('/sessions');
  await settled(page);
  const href = await page.locator('tbody a').first().getAttribute('href');
  return { user: decodeURIComponent(href.split('/')[2]), href };
}

test('without the permission the page says which one is missing', async () => {
  const { page } = await signedIn(world, tokens.plain, '/governance');
  await page.locator('[data-state="forbidden"]').waitFor();
  await page.getByText('lacks the permission “governance”', { exact: false }).waitFor();
  assert.equal(await page.getByLabel('User id').count(), 0);
});

test('an erasure shows its counts, wants the id typed, and ends with a receipt without it; then the user is gone', async () => {
  const { page, trouble } = await signedIn(world, tokens.demo);
  const { user, href } = await someUser(page);
  await page.goto('/governance?tab=erase');
  await page.getByLabel('User id').fill(user);
  await page.getByLabel('Request id').fill('letter-17');
  await page.getByRole('button', { name: 'Show what would be erased' }).click();
  await page.getByRole('heading', { name: 'What would be erased' }).waitFor();
  await page.getByRole('heading', { name: 'What stays' }).waitFor();
  assert.deepEqual(await grave(page), []);
  await page.getByLabel('Type the user id to erase it').fill('someone else');
  await page.getByRole('button', { name: 'Erase this user' }).click();
  await page.getByText('This is not the user id of the request.').waitFor();
  await page.getByLabel('Type the user id to erase it').fill(user);
  await page.getByRole('button', { name: 'Erase this user' }).click();
  const receipt = page.getByRole('article', { name: 'Receipt of the erasure' });
  await receipt.waitFor({ timeout: 60_000 });
  assert.deepEqual(await grave(page), []);
  const text = await receipt.innerText();
  assert.match(text, /purge_[0-9a-f]{32}/);
  assert.ok(!new RegExp(`\\b${user}\\b`).test(text), 'the receipt names the user');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as a file' }).click()]);
  const file = await readFile(await saved.path(), 'utf8');
  assert.ok(!file.includes(`"${user}"`));
  assert.equal(JSON.parse(file).status, 'complete');
  assert.ok(!page.url().includes(user));
  await page.goto(href);
  await page.getByText('There is no such session.').waitFor();
  assert.deepEqual(trouble, []);
});

test('the status of an erasure can be looked up by its own id', async () => {
  const { page } = await signedIn(world, tokens.demo, '/governance?tab=erase');
  await page.getByLabel('User id').fill('nobody-at-all');
  await page.getByLabel('Request id').fill('letter-18');
  await page.getByRole('button', { name: 'Show what would be erased' }).click();
  await page.getByLabel('Type the user id to erase it').fill('nobody-at-all');
  await page.getByRole('button', { name: 'Erase this user' }).click();
  const receipt = page.getByRole('article', { name: 'Receipt of the erasure' });
  await receipt.waitFor({ timeout: 60_000 });
  const id = /purge_[0-9a-f]{32}/.exec(await receipt.innerText())[0];
  await page.getByRole('link', { name: 'Status of an erasure' }).click();
  await page.getByLabel('Erasure id').fill(id);
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByText('Complete', { exact: false }).first().waitFor();
  await page.getByLabel('Erasure id').fill('purge_unknown');
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByText('No erasure has this id.').waitFor();
});

test('an export is saved as a file under a name that tells nothing', async () => {
  const { page } = await signedIn(world, tokens.demo);
  const { user } = await someUser(page);
  await page.goto('/governance');
  await page.getByLabel('User id').fill(user);
  await page.getByLabel('Request id').fill('letter-19');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export and save' }).click()]);
  assert.match(saved.suggestedFilename(), /^export_[0-9a-f]{32}\.json$/);
  const bundle = JSON.parse(await readFile(await saved.path(), 'utf8')).bundle;
  assert.ok(bundle.requests.length > 0);
  await page.getByText('Export saved').waitFor();
});
