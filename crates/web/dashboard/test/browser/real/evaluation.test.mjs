import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, settled, signedIn, tokens } from '../support.mjs';

let world;
before(async () => (world = await open()));
after(async () => world.close());

test('the overview answers in words, with n, interval and judge', async () => {
  const { page, trouble } = await signedIn(world, tokens.demo);
  const answer = (await page.locator('.answer').first().innerText()).replaceAll('\u00a0', ' ');
  assert.match(answer, /^Success \d+ % ± \d+, .*\d+ sessions, judge .+\.$/);
  assert.ok((await page.locator('[data-chart="Success over time"] circle').count()) > 3);
  assert.deepEqual(trouble, []);
});

test('a changed range is in the address, and a reload gives the same view', async () => {
  const { page } = await signedIn(world, tokens.demo);
  await page.getByLabel('Time range').selectOption('7d');
  await settled(page);
  await page.getByRole('combobox', { name: 'Bucket' }).selectOption('day');
  await settled(page);
  assert.match(page.url(), /range=7d/);
  assert.match(page.url(), /bucket=day/);
  const before = await page.locator('.answer').first().innerText();
  await page.reload();
  await settled(page);
  assert.equal(await page.locator('.answer').first().innerText(), before);
  assert.equal(await page.getByLabel('Time range').inputValue(), '7d');
  await page.goBack();
  await settled(page);
  assert.ok(!page.url().includes('bucket=day'));
});

test('one source can be looked at alone, the nameless one too', async () => {
  const { page } = await signedIn(world, tokens.demo);
  const all = await page.locator('.answer').first().innerText();
  const options = await page.getByLabel('Source').locator('option').allInnerTexts();
  assert.ok(options.length > 2, options.join());
  await page.getByLabel('Source').selectOption({ index: 1 });
  await settled(page);
  assert.match(page.url(), /source=/);
  assert.notEqual(await page.locator('.answer').first().innerText(), all);
});

test('the window goes along from page to page', async () => {
  const { page } = await signedIn(world, tokens.demo, '/?range=7d');
  await page.getByRole('link', { name: 'Sessions', exact: true }).click();
  await settled(page);
  assert.equal(await page.getByLabel('Time range').inputValue(), '7d');
});

test('every chart has its numbers as a table and one sentence', async () => {
  const { page } = await signedIn(world, tokens.demo);
  const charts = page.locator('figure.chart');
  const count = await charts.count();
  assert.ok(count >= 4);
  for (let at = 0; at < count; at += 1) {
    const chart = charts.nth(at);
    assert.match(await chart.locator('figcaption').innerText(), /\.$/);
    await chart.locator('summary').click();
    assert.ok((await chart.locator('tbody tr').count()) > 0);
    assert.equal(await chart.locator('svg[role=img]').first().getAttribute('aria-label').then((text) => text.length > 20), true);
  }
});

test('a failing session is found in four clicks and can be graded', async () => {
  const { page, trouble } = await signedIn(world, tokens.demo);
  await page.getByRole('link', { name: 'All failures' }).click();
  await settled(page);
  await page.locator('tbody a').first().click();
  await page.getByRole('heading', { name: 'Transcript' }).waitFor();
  await settled(page);
  await page.locator('[data-verdict="failure"]').first().waitFor();
  await page.getByRole('button', { name: 'Grade now' }).click();
  await page.getByText(/judged just now|that verdict stands/).waitFor();
  assert.deepEqual(trouble, []);
});

test('filters of the session list are in the address and hold for every row', async () => {
  const { page } = await signedIn(world, tokens.demo, '/sessions');
  await page.getByLabel('Failure type').selectOption('wrong_answer');
  await settled(page);
  assert.match(page.url(), /failure=wrong_answer/);
  const outcomes = await page.locator('tbody tr td:nth-child(2)').allInnerTexts();
  assert.ok(outcomes.length > 0);
  assert.ok(outcomes.every((text) => text.includes('Wrong answer')), outcomes.join());
});

test('sources stand side by side, with the warning that they are not randomised', async () => {
  const { page } = await signedIn(world, tokens.demo, '/compare');
  await page.getByText('Sources are not randomised.').waitFor();
  assert.ok((await page.locator('.multiples .card').count()) >= 2);
  await page.getByText(/Choose sources/).click();
  await page.locator('select[aria-label^="Set of"]').first().selectOption('');
  await settled(page);
  assert.match(page.url(), /set=/);
  await page.getByText(/belongs? to none of the chosen sources/).waitFor();
});

test('shadow comparisons lead to the turn they are about', async () => {
  const { page } = await signedIn(world, tokens.demo, '/shadow');
  await page.getByRole('heading', { name: 'Top disagreements' }).waitFor();
  await page.locator('.verdict-list a').first().click();
  await page.getByRole('heading', { name: 'Transcript' }).waitFor();
  assert.match(page.url(), /#turn-\d+$/);
  await page.getByText('Shadow (never shown)').first().waitFor();
});

test('a replay is estimated, started, watched to its end, and a second start is refused kindly', async () => {
  const { page, trouble } = await signedIn(world, tokens.demo, '/jobs');
  await page.getByRole('button', { name: 'Estimate' }).click();
  await page.getByText(/sampled and judged/).waitFor();
  await page.getByRole('button', { name: 'Start the replay' }).click();
  await page.getByText(/of \d+ sessions? done/).waitFor();
  await page.getByRole('button', { name: 'Estimate' }).click();
  await page.getByRole('button', { name: 'Start the replay' }).click();
  await page.getByText('Another replay is running.', { exact: false }).waitFor();
  await page.locator('.card').filter({ has: page.getByRole('heading', { name: /^Replay / }) }).getByText('Completed', { exact: false }).first().waitFor({ timeout: 60_000 });
  assert.match(page.url(), /job=/);
  assert.deepEqual(trouble, []);
});
