import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { grave, open, pages, settled, signedIn, tokens } from '../support.mjs';

let world;
before(async () => (world = await open()));
after(async () => world.close());

for (const path of pages) {
  test(`on an empty database ${path} names the cause and a next step, and no number that nobody measured`, async () => {
    const { page, trouble, context } = await signedIn(world, tokens.empty, path);
    const text = (await page.locator('main').innerText()).replaceAll('\u00a0', ' ');
    assert.ok(!/NaN|undefined|null|Infinity/.test(text), text);
    assert.ok(!/(^|\s)0(\.0)? %/.test(text), text);
    assert.equal(await page.locator('[data-state="loading"]').count(), 0);
    assert.equal(await page.locator('[data-state="error"]').count(), 0);
    assert.ok((await page.locator('main .next, main form button, main form input, main .facts').count()) > 0);
    assert.deepEqual(trouble, []);
    await context.close();
  });

  test(`when storage is down ${path} says so and offers to try again`, async () => {
    const { page, context } = await signedIn(world, tokens.demo);
    await page.route(/\/api\/(?!auth)/, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify({ type: 'about:blank', title: 'x', status: 503, detail: 'The storage does not answer.', code: 'storage_unavailable', request_id: 'req-1' }) }),
    );
    await page.goto(path);
    await settled(page);
    if (!path.startsWith('/governance')) {
      await page.locator('[data-state="error"]').first().waitFor();
      await page.getByRole('button', { name: 'Try again' }).first().waitFor();
      await page.getByText('req-1').first().waitFor();
    }
    await context.close();
  });
}

for (const colorScheme of ['light', 'dark']) {
  for (const mode of ['demo', 'empty']) {
    test(`axe finds nothing on any page, ${mode}, ${colorScheme}`, async () => {
      const { page } = await signedIn(world, tokens[mode], '/', { colorScheme });
      const list = [...pages, '/nowhere'];
      if (mode === 'demo') list.push(...(await deeperPages(page)));
      for (const path of list) {
        await page.goto(path);
        await settled(page);
        await page.evaluate(() => document.querySelectorAll('main details').forEach((element) => (element.open = true)));
        assert.deepEqual(await grave(page), [], path);
      }
    });
  }
  test(`axe finds nothing on the sign-in page, ${colorScheme}`, async () => {
    const { page } = await signedIn(world, tokens.plain, '/governance', { colorScheme });
    assert.deepEqual(await grave(page), [], 'no permission');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await grave(page), []);
  });
}

/** A failed session, the newest and the oldest experiment, whatever the server calls them. */
async function deeperPages(page) {
  const found = [];
  for (const [list, at] of [['/sessions?outcome=failure', [0]], ['/experiments', [0, -1]]]) {
    await page.goto(list);
    await settled(page);
    const links = await page.locator('tbody th a').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    if (links.length > 0) found.push(...new Set(at.map((index) => links.at(index))));
  }
  return found;
}

for (const width of [320, 390, 1280]) {
  test(`no page scrolls sideways at ${width} pixels`, async () => {
    const { page } = await signedIn(world, tokens.demo, '/', { viewport: { width, height: 800 } });
    for (const path of [...pages, ...(await deeperPages(page))]) {
      await page.goto(path);
      await settled(page);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(over, 0, path);
    }
  });
}
