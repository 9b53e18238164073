/** What the browser tests share: a browser, a server (the stub, or a real one named by the environment), and signing in. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { startStub, tokens as stubTokens } from '../stub/server.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const real = process.env.TOUCHSTONE_URL;

/** Tokens of a real server come from the environment: demo data with governance, an empty organization, no governance, a production key. */
export const tokens = real
  ? {
      demo: process.env.TOUCHSTONE_TOKEN,
      empty: process.env.TOUCHSTONE_TOKEN_EMPTY,
      plain: process.env.TOUCHSTONE_TOKEN_PLAIN,
      production: process.env.TOUCHSTONE_PRODUCTION_KEY,
    }
  : stubTokens;

export const launch = () => chromium.launch({ executablePath, args });

export async function open() {
  const stub = real ? null : await startStub();
  const browser = await launch();
  const url = real ?? stub.url;
  return {
    browser,
    url,
    async close() {
      await browser.close();
      stub?.server.closeAllConnections();
      stub?.server.close();
    },
  };
}

/** A fresh visitor; whatever leaves the origin, breaks the policy or throws is remembered. */
export async function visitor(world, options = {}) {
  const context = await world.browser.newContext({ baseURL: world.url, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const trouble = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(world.url) && !/^(blob|data):/.test(request.url())) trouble.push(`left the origin: ${request.url()}`);
  });
  page.on('pageerror', (error) => trouble.push(`threw: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) trouble.push(message.text());
  });
  return { page, context, trouble };
}

export async function signedIn(world, token, path = '/', options = {}) {
  const guest = await visitor(world, options);
  await guest.page.goto(`/#token=${token}`);
  await guest.page.getByRole('navigation', { name: 'Pages' }).waitFor();
  if (path !== '/') await guest.page.goto(path);
  await settled(guest.page);
  return guest;
}

/** Calls the API as the page does. */
export const call = (page, method, path, body) =>
  page.evaluate(
    async ([how, where, what]) => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(where, what === undefined ? { method: how } : { method: how, headers, body: JSON.stringify(what) });
      return { status: answer.status, body: await answer.json().catch(() => null) };
    },
    [method, path, body],
  );

/** Stops whatever experiment runs: the demonstration data leaves one running. */
export async function stopRunning(page) {
  const { body } = await call(page, 'GET', '/api/retrieval_experiments');
  if (body.active_experiment) await call(page, 'POST', '/api/retrieval_experiments/stop', { experiment_id: body.active_experiment.experiment_id });
}

/** Waits until nothing on the page is loading. */
export async function settled(page) {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[data-state="loading"], [aria-busy="true"]'));
}

export const pages = ['/', '/compare', '/sessions', '/sessions?list=published', '/shadow', '/jobs', '/experiments', '/governance', '/governance?tab=erase', '/governance?tab=status', '/system'];

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Whatever axe finds, of any weight. */
export async function grave(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }),
  );
  return violations.map((each) => `${each.impact} ${each.id}: ${each.nodes.map((node) => node.target.join(' ')).slice(0, 3).join(' | ')}`);
}
