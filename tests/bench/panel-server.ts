// A child that is a panel as `panel serve` opens it, on an existing folder, with a key for the measurement.
import type { Call } from '../../src/core/call.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { answerParent } from './child.ts';
import { type MovingEngine, movingEngine } from './moving-engine.ts';
import type { PanelPlace, PanelStart } from './servers.ts';
import { usageAnswers } from './usage.ts';

const PASSWORD = 'correct horse battery';
/** So high that it refuses nothing: the limit itself, its headers included, is part of what is measured. */
const RATE_LIMIT = 100_000_000;
const POLL_EVERY_MS = 1000;
/** Whose engine it is. */
const NODE = 1;

let panel: Panel | null = null;
let moving: MovingEngine | null = null;

const CALL: Call = {
  actor: { kind: 'cli', id: null, name: 'bench', access: 'full' },
  requestId: 'bench',
  address: null,
};

async function start({ folder, tls, pollsMoving, isAttacked }: PanelStart): Promise<PanelPlace> {
  const made = pollsMoving === undefined ? null : movingEngine(pollsMoving);
  moving = made;
  panel = await openPanel({
    folder,
    host: isAttacked ? '0.0.0.0' : '127.0.0.1',
    port: 0,
    plainHttp: !tls,
    ...(isAttacked ? { trustedProxies: ['127.0.0.1'] } : { rateLimit: RATE_LIMIT }),
    keyFile: `${folder}.key`,
    ...(made && { openEngine: ({ id }) => (id === NODE ? made.engine : null), pollEveryMs: POLL_EVERY_MS }),
  });
  const { core } = panel;
  if (!core.local.isSetUp()) await core.local.setUp('admin', PASSWORD);
  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${panel.address()?.port}`,
    path: new URL(panel.baseUrl).pathname,
    key: await newKey(),
  };
}

async function newKey(): Promise<string> {
  const input = { name: 'bench', access: 'full', expires_in_days: null, password: PASSWORD } as const;
  const made = await panel?.core.call('createKey', input, CALL);
  return made?.body.value ?? '';
}

/** Sends all events to this address from now on. */
async function webhook(url: string): Promise<void> {
  const input = { url, description: '', types: null, allow_private: true, password: PASSWORD };
  await panel?.core.call('createWebhook', input, CALL);
}

/** Whether the users move something between polls. */
function move(isMoving: boolean): void {
  moving?.move(isMoving);
}

async function backup(): Promise<void> {
  await panel?.core.call('createBackup', {}, CALL);
}

answerParent({ start, newKey, webhook, backup, move, ...usageAnswers(), stop: () => panel?.close() });
