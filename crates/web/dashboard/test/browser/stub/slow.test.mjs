/** What a real server shows only when it is slow or in trouble. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { grave, open, signedIn, tokens } from '../support.mjs';

let world;
before(async () => (world = await open()));
after(async () => world.close());

async function eraseOn(page, user) {
  await page.goto('/governance?tab=erase');
  await page.getByLabel('User id').fill(user);
  await page.getByLabel('Request id').fill('letter-1');
  await page.getByRole('button', { name: 'Show what would be erased' }).click();
  await page.getByLabel('Type the user id to erase it').fill(user);
  await page.getByRole('button', { name: 'Erase this user' }).click();
}

test('an erasure that outlasts its request is watched to its end', async () => {
  const { page } = await signedIn(world, tokens.demo);
  await eraseOn(page, 'user-7');
  await page.getByText('You may leave this page; the work goes on.', { exact: false }).waitFor();
  assert.deepEqual(await grave(page), []);
  await page.getByRole('article', { name: 'Receipt of the erasure' }).waitFor({ timeout: 30_000 });
});

test('an erasure that stopped says why, and goes on when it is tried again', async () => {
  const { page } = await signedIn(world, tokens.demo);
  await eraseOn(page, 'breaks');
  await page.getByText('(storage_unavailable)', { exact: false }).waitFor({ timeout: 30_000 });
  assert.deepEqual(await grave(page), []);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('article', { name: 'Receipt of the erasure' }).waitFor({ timeout: 30_000 });
});

test('replays that are too many for a page go on to the older ones and back', async () => {
  const { page } = await signedIn(world, tokens.demo);
  const job = { status: 'completed', total: 1, completed: 1, failed: 0, failures: [], started_at: 1_790_000_000 };
  const pages = { null: { jobs: [{ ...job, job_id: 'newer' }], next_cursor: 'behind-newer' }, 'behind-newer': { jobs: [{ ...job, job_id: 'older' }] } };
  await page.route(/\/api\/evaluations\/regenerate(\?|$)/, (route) => route.fulfill({ json: pages[new URL(route.request().url()).searchParams.get('cursor')] }));
  await page.goto('/jobs');
  await page.getByRole('link', { name: 'Older replays' }).click();
  await page.getByRole('link', { name: 'older', exact: true }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'newer', exact: true }).count(), 0);
  await page.getByRole('link', { name: 'Newest' }).click();
  await page.getByRole('link', { name: 'newer', exact: true }).waitFor();
});

test('failures of a replay are grouped by reason and lead to their sessions', async () => {
  const { page } = await signedIn(world, tokens.demo, '/jobs');
  await page.getByRole('button', { name: 'Estimate' }).click();
  await page.getByRole('button', { name: 'Start the replay' }).click();
  const reasons = page.getByRole('table', { name: 'Failures by reason' });
  await reasons.waitFor({ timeout: 30_000 });
  assert.ok((await reasons.locator('tbody tr').count()) >= 1);
  assert.match(await reasons.locator('tbody a').first().getAttribute('href'), /^\/sessions\/user-/);
  await page.getByRole('button', { name: 'Cancel this replay' }).click().catch(() => null);
});
