/** Runs the stub by hand: `npm run stub`, then open the printed links. */
import { startStub, tokens } from './server.mjs';

const { url } = await startStub(Number(process.env.PORT ?? 8099));
for (const [name, token] of Object.entries(tokens)) console.log(`${name.padEnd(11)} ${url}/#token=${token}`);
