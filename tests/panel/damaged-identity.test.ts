// Files by which a panel or a machine is known are damaged, emptied, taken away or made unreadable: nothing is made in their place unless the former
// is set aside and it is said; and what comes back works as before.
import { createHash, X509Certificate } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import { systemClock } from '../../src/adapters/clock.ts';
import { prepareDataFolder } from '../../src/adapters/data-folder.ts';
import { isRefusal } from '../../src/adapters/refusal.ts';
import { openTextSeal } from '../../src/adapters/text-seal.ts';
import { setLinks } from '../../src/agent/links.ts';
import { examineMachine, type NodeMachine, runMachine } from '../../src/agent/machine.ts';
import { openNodeLedger } from '../../src/agent/store/ledger.ts';
import { examine } from '../../src/panel/doctor.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { createAdministrator } from '../support/administrator.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { createFakeMachine } from '../support/fake-engine.ts';
import { freePort } from '../support/free-port.ts';
import { createTestLog } from '../support/log.ts';
import { makeKeys, realLooking } from '../support/node-machine.ts';
import { PASSWORD } from '../support/own-panel.ts';

const DAY = 86_400_000;

type Damage = (path: string) => void;
const READABLE: Readonly<Record<string, Damage>> = {
  'with a changed byte'(path) {
    const bytes = readFileSync(path);
    const middle = bytes.length >> 1;
    bytes[middle] = bytes[middle] === 0x41 ? 0x42 : 0x41;
    writeFileSync(path, bytes);
  },
  'cut off': (path) => writeFileSync(path, readFileSync(path).subarray(0, 40)),
  emptied: (path) => writeFileSync(path, ''),
  missing: (path) => rmSync(path),
};
const UNREADABLE: Readonly<Record<string, Damage>> = {
  'that is a folder'(path) {
    rmSync(path);
    mkdirSync(path);
  },
  // The system's administrator can read it all the same.
  ...(process.getuid?.() !== 0 && { 'without permission': (path: string) => chmodSync(path, 0) }),
};
const DAMAGE = { ...READABLE, ...UNREADABLE };

let parent = '';
let template = '';
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'gatehouse-identity-'));
  template = join(parent, 'template');
  mkdirSync(template);
  const panel = await start(template);
  await panel.core.local.setUp('admin', PASSWORD);
  const administrator = await signIn(panel);
  const validity = { from: Date.now() - DAY, to: Date.now() + 90 * DAY };
  const leaf = await issueLeaf(await issueAuthority(validity), ['127.0.0.1'], validity);
  const given = { password: PASSWORD, certificate: leaf.pem, private_key: leaf.key, target: 'links' } as const;
  await administrator.call('changeAddresses', {
    password: PASSWORD,
    links_port: await freePort(),
    links_host: '127.0.0.1',
  });
  expect((await administrator.call('importCertificate', given)).status).toBe(200);
  administrator.close();
  // A panel whose reserve of disk space is unfinished takes the disk for full at first.
  const reserve = join(template, 'data', 'reserve');
  await vi.waitFor(() => expect(statSync(reserve).size).toBe(8 * 2 ** 20), { timeout: 60_000 });
  await panel.close();
  writeFileSync(join(template, 'data', 'tls', 'acme.pem'), leaf.key + leaf.pem, { mode: 0o600 });
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

function start(place: string): Promise<Panel> {
  const keyFile = join(place, 'master.key');
  return openPanel({ folder: join(place, 'data'), port: 0, keyFile, passwordCost: CHEAP_COST });
}

async function signIn({ panelUrl }: Panel) {
  const administrator = createAdministrator(panelUrl, '', { acceptsAnyCertificate: true });
  await administrator.call('signIn', { name: 'admin', password: PASSWORD });
  return administrator;
}

/** The files of identity of a panel, by path below its place. */
function identityIn(place: string): ReadonlyMap<string, string> {
  const tls = join(place, 'data', 'tls');
  const paths = readdirSync(tls).map((name) => join('data', 'tls', name));
  const files = [...paths, 'master.key'].filter((path) =>
    statSync(join(place, path), { throwIfNoEntry: false })?.isFile(),
  );
  return new Map(
    files.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(place, path)))
        .digest('hex'),
    ]),
  );
}

const FILES = [
  'data/tls/ca.pem',
  'data/tls/ca-key.sealed',
  'data/tls/server.pem',
  'data/tls/server-key.pem',
  'data/tls/imported-links.pem',
  'data/tls/acme.pem',
  'master.key',
];
/** The leaf and its key, which the authority signs anew at any time. */
const REPRODUCED = ['data/tls/server.pem', 'data/tls/server-key.pem'];

describe.each(FILES)('%s of a panel', (path) => {
  test.each(Object.entries(DAMAGE))('%s', async (name, damage) => {
    const place = join(parent, `${path} ${name}`.replaceAll(/\W+/g, '-'));
    cpSync(template, place, { recursive: true });
    const file = join(place, path);
    const ca = readFileSync(join(place, 'data', 'tls', 'ca.pem'), 'utf8');
    const good = readFileSync(file);
    damage(file);
    const before = identityIn(place);

    const panel = await start(place).catch((error: unknown) => error);
    const lost = [...before].filter(
      ([each, hash]) => !REPRODUCED.includes(each) && ![...identityIn(place).values()].includes(hash),
    );
    expect(lost, 'nothing is overwritten').toEqual([]);
    const modes = [...identityIn(place).keys()].map((each) => statSync(join(place, each)).mode & 0o077);
    expect(new Set(modes)).toEqual(new Set([0]));

    const findings = await examine(join(place, 'data'), { keyFile: join(place, 'master.key') });
    const bad = findings.filter(({ verdict }) => verdict !== 'ok').map(({ check }) => check);
    const log = readFileSync(join(place, 'data', 'logs', 'panel.log'), 'utf8');
    if (isRefusal(panel)) {
      expect(Object.keys(UNREADABLE), 'only what cannot be read keeps the panel from starting').toContain(name);
      expect(panel.message).toContain(file);
      expect(bad.length).toBeGreaterThan(0);
    } else {
      const running = panel as Panel;
      const administrator = await signIn(running);
      const { served, authority } = (await administrator.call('getCertificates', {})).body;
      const isReplaced = authority?.pem !== ca;
      expect(isReplaced, 'only a lost key needs another authority').toBe(path.endsWith('ca-key.sealed'));
      await expect
        .poll(async () => (await administrator.call('getCertificates', {})).body.authority?.replaced !== null)
        .toBe(isReplaced);
      const aside = [...identityIn(place).keys()].filter((each) => each.includes('set-aside-'));
      expect(isReplaced ? aside.length > 0 : true).toBe(true);
      const audit = await administrator.call('listAudit', { action: 'replaceAuthority', limit: 10 });
      expect(audit.body.items).toHaveLength(isReplaced ? 1 : 0);
      if (isReplaced)
        expect([bad, log]).toEqual([
          expect.arrayContaining(['authority']),
          expect.stringContaining('authority replaced'),
        ]);
      // A missing import was taken away on purpose.
      const isImportDamaged = path.includes('imported') && name !== 'missing';
      expect(served.some(({ warning }) => warning === 'import_damaged')).toBe(isImportDamaged);
      if (isImportDamaged) expect(bad).toContain('imported certificate for links');
      if (path === 'master.key') expect(bad).toContain('secrets');
      administrator.close();
      await running.close();
      if (isReplaced) return;
    }
    // What was not replaced goes on as before once it is back.
    rmSync(file, { recursive: true, force: true });
    writeFileSync(file, good, { mode: 0o600 });
    const again = await start(place);
    expect(readFileSync(join(place, 'data', 'tls', 'ca.pem'), 'utf8')).toBe(ca);
    const leaf = new X509Certificate(readFileSync(join(place, 'data', 'tls', 'server.pem')));
    expect(leaf.verify(new X509Certificate(ca).publicKey)).toBe(true);
    await again.close();
  });
});

const MACHINE_FILES = ['node.json', 'lease.key', 'ledger.db', 'links.json', 'links.pem'];
/** What the machine does not run with; without the others it goes on, and says what it lacks. */
const NEEDED = ['node.json', 'ledger.db', 'links.json'];

describe.each(MACHINE_FILES)('%s of a machine', (name) => {
  let machineTemplate = '';
  beforeAll(async () => {
    machineTemplate = join(parent, `machine-${name}`);
    prepareDataFolder(machineTemplate);
    const { node } = await makeKeys();
    writeFileSync(join(machineTemplate, 'node.json'), JSON.stringify({ ...node, port: await freePort() }), {
      mode: 0o600,
    });
    const validity = { from: Date.now() - DAY, to: Date.now() + 90 * DAY };
    const leaf = await issueLeaf(await issueAuthority(validity), ['links.example.org'], validity);
    setLinks(machineTemplate, { host: '127.0.0.1', port: 0, chain: leaf.pem, key: leaf.key });
    const seal = openTextSeal(join(machineTemplate, 'lease.key'), { clock: systemClock, log: createTestLog() });
    const ledger = openNodeLedger(join(machineTemplate, 'ledger.db'), seal);
    ledger.lease.saveEngine({ config: { inbounds: [], blocksPrivate: true }, leftOut: [], boot: 'a' });
    ledger.close();
  });

  test.each(Object.entries(DAMAGE))('%s', async (kind, damage) => {
    const folder = join(parent, `machine ${name} ${kind}`.replaceAll(/\W+/g, '-'));
    cpSync(machineTemplate, folder, { recursive: true });
    const file = join(folder, name);
    damage(file);
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
    const before = isFile ? readFileSync(file) : null;

    const engine = realLooking(createFakeMachine());
    const machine = await runMachine({ folder, host: '127.0.0.1', engine }).catch((error: unknown) => error);
    const doctor = await examineMachine(folder, undefined).catch((error: unknown) => error);
    if (!isRefusal(machine)) await (machine as NodeMachine).close();
    const log = readFileSync(join(folder, 'logs', 'node.log'), 'utf8');
    const contents = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [readFileSync(join(folder, entry.name))] : [],
    );
    // A database may be written to and remain the same one.
    const isLost = before !== null && name !== 'ledger.db' && !contents.some((content) => content.equals(before));
    expect(isLost, 'nothing is overwritten').toBe(false);

    if (isRefusal(machine)) {
      expect(machine.message).toMatch(kind === 'missing' && name === 'node.json' ? /has not been joined/ : name);
      return;
    }
    const isHarmless = kind === 'missing' && name === 'links.json';
    const isSame =
      (name === 'ledger.db' && kind !== 'missing') || (name === 'links.json' && kind === 'with a changed byte');
    if (isHarmless || isSame) return;
    if (kind !== 'missing') expect(NEEDED, 'it does not run without').not.toContain(name);
    expect(log).toMatch(/damaged|lease cannot be opened|links not served|ledger is missing/);
    if (name === 'links.pem') {
      expect(doctor).toContainEqual(expect.objectContaining({ check: 'links', verdict: 'problem' }));
    }
  });
});
