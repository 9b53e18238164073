import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, open, settled, signedIn, stopRunning, tokens } from '../support.mjs';

let world;
before(async () => (world = await open()));
after(async () => world.close());

/** The page of experiments, while none runs. */
async function idle() {
  const guest = await signedIn(world, tokens.demo);
  await stopRunning(guest.page);
  await guest.page.goto('/experiments');
  await settled(guest.page);
  return guest;
}

test('the experiment that runs is shown with its results, and no second one is offered', async () => {
  const { page } = await signedIn(world, tokens.demo, '/experiments');
  const { body } = await call(page, 'GET', '/api/retrieval_experiments');
  const running = body.active_experiment.experiment_id;
  await page.getByRole('heading', { name: `Running: ${running}` }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Start the experiment' }).count(), 0);
  await page.getByRole('link', { name: 'See results' }).click();
  await page.getByRole('heading', { name: 'Can it be trusted?' }).waitFor();
});

const fresh = () => `trial-${Date.now().toString(36)}`;

test('an experiment is planned, started, read and stopped', async () => {
  const { page, trouble } = await idle();
  const name = fresh();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Held out, in percent of users').fill('20');
  assert.match(await page.locator('[data-plan]').innerText(), /200 users held out, 800 treated/);
  await page.getByRole('button', { name: 'Start the experiment' }).click();
  await page.getByRole('heading', { name: `Running: ${name}` }).waitFor();
  await page.getByText('One experiment runs at a time.', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'See results' }).click();
  await page.getByText(/^Nothing can be said yet/).waitFor();
  await page.getByRole('button', { name: 'Stop…' }).click();
  await page.getByText('the results stay and can be read at any time', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Stop the experiment' }).click();
  await page.getByText('Ended', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'Stop…' }).waitFor({ state: 'detached' });
  assert.deepEqual(trouble, []);
});

test('a second start shows the experiment that runs, not a bare error', async () => {
  const { page } = await idle();
  const name = fresh();
  const started = await call(page, 'POST', '/api/retrieval_experiments', { experiment_id: name, holdout_percentage: 5 });
  assert.equal(started.status, 200);
  await page.getByLabel('Name').fill('too-late');
  await page.getByRole('button', { name: 'Start the experiment' }).click();
  await page.getByText('Nothing new was started', { exact: false }).waitFor();
  await page.getByRole('heading', { name: `Running: ${name}` }).waitFor();
  await page.getByRole('button', { name: 'Stop…' }).click();
  await page.getByRole('button', { name: 'Stop the experiment' }).click();
  await page.getByRole('heading', { name: 'Start an experiment' }).waitFor();
});

test('a name that was used before is refused with the reason', async () => {
  const { page } = await idle();
  const used = await page.locator('tbody th a').first().innerText();
  await page.getByLabel('Name').fill(used);
  await page.getByRole('button', { name: 'Start the experiment' }).click();
  await page.getByText('This name was used before.', { exact: false }).waitFor();
});

test('a share outside 0 and 100 is refused at its field', async () => {
  const { page } = await idle();
  await page.getByLabel('Name').fill(fresh());
  await page.getByLabel('Held out, in percent of users').fill('100');
  await page.getByRole('button', { name: 'Start the experiment' }).click();
  await page.getByText('More than 0 and less than 100.').waitFor();
  assert.equal(await page.getByLabel('Held out, in percent of users').getAttribute('aria-invalid'), 'true');
});

test('the results of an experiment show trust first, then the decision, then the plot', async () => {
  const { page } = await signedIn(world, tokens.demo, '/experiments');
  await page.locator('tbody th a').last().click();
  await page.locator('.answer').waitFor();
  await settled(page);
  const headings = await page.locator('h2').allInnerTexts();
  assert.ok(headings.indexOf('Can it be trusted?') < headings.indexOf('The two arms'));
});

test('an unknown experiment leads back to the list', async () => {
  const { page } = await signedIn(world, tokens.demo, '/experiments/never-was');
  await page.getByText('There is no experiment of this name.').waitFor();
});
