/**
 * Opens a page for every address on its input, each as a visitor who was never here, and says when it can be used: the bench's browser.
 *
 * Says `ready` first; then, for each address, how many milliseconds the page took and the sentence with which it answers.
 */
import { createInterface } from 'node:readline';
import { launch, settled } from '../test/browser/support.mjs';

const browser = await launch();
console.log('ready');
for await (const address of createInterface({ input: process.stdin })) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(address);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await settled(page);
  const took = Math.round(performance.now() - began);
  console.log(`${took} ${(await page.locator('.answer').first().innerText()).replaceAll('\n', ' ')}`);
  await context.close();
}
await browser.close();
