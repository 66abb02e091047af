// A child that is a panel as `panel serve` opens it, on an existing folder, with a key for the measurement.
import { inboundCreate } from '../../src/contract/inbounds.ts';
import type { Call } from '../../src/core/call.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { openConnection } from '../../src/store/database.ts';
import { freePort } from '../support/free-port.ts';
import { answerParent } from './child.ts';
import { databaseOf } from './databases.ts';
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

const CONNECTION = inboundCreate.parse({ node_id: 1, tag: 'in', name: 'In', protocol: 'vless', port: 443 });

const CALL: Call = {
  actor: { kind: 'cli', id: null, name: 'bench', access: 'full' },
  requestId: 'bench',
  address: null,
};

async function start({ folder, tls, pollsMoving, isAttacked, fleet }: PanelStart): Promise<PanelPlace> {
  if (fleet !== undefined) leaveNodes(folder);
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

/** No connection is left, so that the nodes that are there serve no user, and all users may use all that come. */
function leaveNodes(folder: string): void {
  const db = openConnection(databaseOf(folder));
  db.exec(`UPDATE users SET inbounds = NULL WHERE inbounds IS NOT NULL; UPDATE tariffs SET inbounds = NULL;
    DELETE FROM user_inbounds; DELETE FROM tariff_inbounds; DELETE FROM inbound_totals; DELETE FROM inbounds;
    UPDATE nodes SET enabled = 0, kind = 'remote', agent_port = NULL, agent_pin = NULL`);
  db.close();
}

/** Adds nodes with a connection each; the tokens by which they are joined. */
async function invite(count: number): Promise<readonly string[]> {
  if (panel === null) throw new Error('no panel runs');
  const { core } = panel;
  const tokens: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const node = { name: `Machine ${index + 1}`, address: '127.0.0.1', kind: 'remote', enabled: true } as const;
    const more = { draining: false, weight_percent: 100, note: '' };
    const { id } = (await core.call('createNode', { ...node, ...more }, CALL)).body;
    await core.call('createInbound', { ...CONNECTION, node_id: id, port: 443 }, CALL);
    const { token } = (await core.call('inviteNode', { id, port: await freePort(), password: PASSWORD }, CALL)).body;
    tokens.push(token);
  }
  return tokens;
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

answerParent({ start, invite, newKey, webhook, backup, move, ...usageAnswers(), stop: () => panel?.close() });
