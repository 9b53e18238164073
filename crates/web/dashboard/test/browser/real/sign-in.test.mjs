import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, settled, signedIn, tokens, visitor } from '../support.mjs';

let world;
before(async () => (world = await open()));
after(async () => world.close());

test('the token of the printed link leaves the address at once and is kept nowhere', async () => {
  const { page, context, trouble } = await visitor(world);
  await page.goto(`/#token=${tokens.demo}`);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  assert.ok(!page.url().includes('token'), page.url());
  await page.goBack().catch(() => null);
  assert.ok(!page.url().includes(tokens.demo), page.url());
  await page.goto('/');
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  assert.ok(!stored.includes(tokens.demo), stored);
  const cookie = (await context.cookies()).find((each) => each.name === 'touchstone_session');
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
  assert.deepEqual(trouble, []);
});

test('a token that was typed in leads to the page that was asked for', async () => {
  const { page } = await visitor(world);
  await page.goto('/experiments');
  await page.getByLabel('Dashboard token').fill(tokens.demo);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Experiments' }).waitFor();
});

test('a production key is refused with the reason', async () => {
  const { page } = await visitor(world);
  await page.goto('/');
  await page.getByLabel('Dashboard token').fill(tokens.production);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This is a production key.').waitFor();
});

test('an unknown token is refused, and the field is empty again', async () => {
  const { page } = await visitor(world);
  await page.goto('/sign-in#token=nonsense');
  await page.getByText('This token is not known.').waitFor();
  assert.ok(!page.url().includes('nonsense'));
  assert.equal(await page.getByLabel('Dashboard token').inputValue(), '');
});

test('signing out ends the session on the server', async () => {
  const { page } = await signedIn(world, tokens.demo);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto('/sessions');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a session that ended asks to sign in again and says why', async () => {
  const { page, context } = await signedIn(world, tokens.demo);
  await context.clearCookies();
  await page.getByRole('link', { name: 'Experiments', exact: true }).click();
  await page.getByText('Your session has ended.').waitFor();
});

test('a server that cannot be reached is named, with a way to try again', async () => {
  const { page } = await visitor(world);
  await page.route('**/api/auth/session', (route) => route.abort());
  await page.goto('/');
  await page.getByText('The server cannot be reached.').first().waitFor();
  await page.unroute('**/api/auth/session');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('colours follow the choice and survive a reload', async () => {
  const { page } = await signedIn(world, tokens.demo);
  await page.getByLabel('Colours').selectOption('dark');
  await page.reload();
  await settled(page);
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
});
