// A panel that is killed: starts an engine, says so, and waits.
import { text } from 'node:stream/consumers';
import { systemClock, systemTimers } from '../../src/adapters/clock.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { connectEngine } from '../../src/engines/connector.ts';
import { createLocalEngine } from '../../src/engines/local-engine.ts';

const { folder, path, config, user } = JSON.parse(await text(process.stdin));
const engine = createLocalEngine({
  nodeId: 1,
  folder,
  path: () => path,
  connect: connectEngine,
  clock: systemClock,
  timers: systemTimers,
  crypto: nodeCrypto,
});
await engine.start(config, [user], 'victim');
console.log('started');
setInterval(() => {}, 1000);
