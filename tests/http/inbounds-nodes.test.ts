// Connections, nodes and settings over the wire: what may be written, what holds them, and what a Read key sees.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INBOUND_READ_FIELDS } from '../../src/contract/inbounds.ts';
import { type Fixtures, fill, NODE_ADDRESS } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { readLink } from '../support/subscription-samples.ts';

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ timeZone: 'Asia/Kolkata' });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const missing = 4_000_000;

describe('connections', () => {
  const base = { name: 'C', protocol: 'vless' } as const;
  let count = 0;
  const fresh = () => {
    count += 1;
    return { ...base, node_id: fixtures.nodeId, tag: `c-${count}`, port: 1000 + count };
  };

  it('show a Read key which there are, never where', async () => {
    const [id = 0] = fixtures.inboundIds;
    const full = (await panel.full.call('getInbound', { id })).body;
    const read = (await panel.read.call('getInbound', { id })).body;
    expect(Object.keys(read).toSorted()).toEqual([...INBOUND_READ_FIELDS].toSorted());
    expect(full).toMatchObject(read);
    expect(full).toMatchObject({ host: 'canary-reality-host.example', port: 41443, sni: 'canary-sni.example' });
    const list = (await panel.read.call('listInbounds', {})).body.items;
    for (const item of list) expect(Object.keys(item).toSorted()).toEqual([...INBOUND_READ_FIELDS].toSorted());
    expect((await panel.full.call('listInbounds', {})).body.items[0]).toEqual(full);
  });

  it('must go with themselves: what no client could use is refused, every member of it named', async () => {
    const wrong: [object, string[]][] = [
      [{ protocol: 'shadowsocks' }, ['#/method']],
      [{ method: 'aes-256-gcm' }, ['#/method']],
      [{ protocol: 'trojan' }, ['#/security']],
      [{ protocol: 'shadowsocks', method: 'aes-256-gcm', network: 'ws', security: 'tls' }, ['#/network', '#/security']],
      [{ security: 'reality' }, ['#/public_key', '#/sni']],
      [{ path: '/x' }, ['#/path']],
      [{ service_name: 'x' }, ['#/service_name']],
      [{ proxy_header: 'X-Forwarded-For' }, ['#/proxy_header']],
      [{ flow: 'xtls-rprx-vision' }, ['#/flow']],
      [{ alpn: ['h2'] }, ['#/alpn']],
      [{ obfs_password: 'obfuscated' }, ['#/obfs_password']],
      [{ hop_ports: '20000-30000' }, ['#/hop_ports']],
      [{ masquerade: 'https://www.example.org' }, ['#/masquerade']],
      [{ network: 'quic' }, ['#/network']],
      [{ protocol: 'hysteria2', network: 'tcp', security: 'none' }, ['#/network', '#/security']],
      [{ protocol: 'hysteria2', obfs_password: 'abc' }, ['#/obfs_password']],
      ...['', '0', '65536', '30000-20000', '1-', '443, 444', '443;444', 'a'].map((hop_ports): [object, string[]] => [
        { protocol: 'hysteria2', hop_ports },
        ['#/hop_ports'],
      ]),
      ...[
        '',
        'a.example',
        'ftp://a.example',
        'https://',
        'https://u@a.example',
        'http://a.example:0',
        'https://a b',
      ].map((masquerade): [object, string[]] => [{ protocol: 'hysteria2', masquerade }, ['#/masquerade']]),
      [{ fragment: 'tlshello,100-200,10-20', noise: '3,50-100,10-20' }, ['#/fragment', '#/noise']],
      ...['', 'tlshello', 'tlshello,0,10', 'tlshello,200-100,10', '3-1,10,10', '0-3,10,10', 'tlshello,10,5-1'].map(
        (fragment): [object, string[]] => [{ protocol: 'trojan', security: 'tls', fragment }, ['#/fragment']],
      ),
      ...['', '0,10,10', '3,0,10', '3,10-5,10', '3,10,10-5', '10,10,10'].map((noise): [object, string[]] => [
        { protocol: 'hysteria2', noise },
        ['#/noise'],
      ]),
      [{ network: 'grpc', mux: 8 }, ['#/mux']],
      [{ mux: 0 }, ['#/mux']],
      [{ network: 'udp' }, ['#/network']],
      [{ address_pool: '10.8.0.0/24', mtu: 1280 }, ['#/address_pool', '#/mtu']],
      [{ protocol: 'wireguard', address_pool: '8.8.8.0/24' }, ['#/address_pool']],
      [{ protocol: 'wireguard', address_pool: '10.8.0.0/30' }, ['#/address_pool']],
      [{ protocol: 'wireguard', mtu: 1000 }, ['#/mtu']],
    ];
    for (const [more, pointers] of wrong) {
      const { problem } = await panel.full.call('createInbound', { ...fresh(), ...more } as never);
      expect(problem, JSON.stringify(more)).toMatchObject({ status: 422, detail: 'validation' });
      expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers);
    }
  });

  it('cannot break out of a link', async () => {
    const hostile = [
      'a b',
      'a/b',
      'a?b',
      'a#b',
      'a@b',
      'a:1',
      '1.2.3.4:443',
      'a\nb',
      '[::1]',
      'a%20b',
      'a&b=c',
      '',
      'x'.repeat(254),
      '-a',
      'a-',
    ];
    for (const host of hostile) {
      const { problem } = await panel.full.call('createInbound', { ...fresh(), host });
      expect(
        problem.errors?.map(({ pointer }) => pointer),
        host,
      ).toEqual(['#/host']);
    }
    for (const host of [
      '::1',
      '2001:db8::1',
      '::ffff:1.2.3.4',
      '10.0.0.1',
      'a',
      'xn--e1afmkfd.example',
      'пример.example',
    ]) {
      expect((await panel.full.call('createInbound', { ...fresh(), host })).body.host).toBe(host);
    }
    for (const path of ['x', '/a b', '/ä', '/\n']) {
      const { problem } = await panel.full.call('createInbound', { ...fresh(), network: 'ws', path });
      expect(
        problem.errors?.map(({ pointer }) => pointer),
        path,
      ).toEqual(['#/path']);
    }
    const wrong: [object, string, RegExp][] = [
      ...['/a%20b', '/a?x=1', '/a#b', '//a/b', '/a|b', '/a?ed=2048&x=1', '/a?ed='].map(
        (path): [object, string, RegExp] => [
          { network: 'ws', path },
          '#/path format',
          /^must begin with one slash and have letters, digits, \/ and .* only/,
        ],
      ),
      ...['X Proxy', 'X-Proxy:', 'X-Proxy\r\n', 'X-Прокси', '"'].map((proxy_header): [object, string, RegExp] => [
        { network: 'ws', proxy_header },
        '#/proxy_header format',
        /^must be the name of an HTTP header/,
      ]),
      [{ network: 'grpc', service_name: 'a/b' }, '#/service_name format', /^must have letters, digits and .* only$/],
    ];
    for (const [more, error, message] of wrong) {
      const { problem } = await panel.full.call('createInbound', { ...fresh(), ...more });
      expect(
        problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`),
        JSON.stringify(more),
      ).toEqual([error]);
      expect(problem.errors?.[0]?.message).toMatch(message);
    }
    for (const path of ['/', '/ws?ed=2048', "/-._~/!$&'()*+,;=:@"]) {
      const made = await panel.full.call('createInbound', { ...fresh(), network: 'ws', path });
      expect([made.status, made.body.path]).toEqual([201, path]);
    }
    for (const port of [0, 65_536, 1.5, -1]) {
      expect((await panel.full.call('createInbound', { ...fresh(), port })).problem.detail).toBe('validation');
    }
  });

  it('have a port of their own on their node, also while disabled', async () => {
    const { full, act } = panel;
    const first = (await full.call('createInbound', { ...fresh(), enabled: false })).body;
    const taken = { pointer: '#/port', code: 'taken' };
    const { port = 0 } = first;
    const second = await full.call('createInbound', { ...fresh(), port });
    expect(second.problem).toMatchObject({ detail: 'validation', errors: [taken] });
    const other = (await full.call('createInbound', fresh())).body;
    const moved = await full.call('updateInbound', { id: other.id, port });
    expect(moved.problem).toMatchObject({ detail: 'validation', errors: [taken] });
    expect((await full.call('updateInbound', { id: first.id, port, name: 'Same' })).status).toBe(200);
    const elsewhere = await act('createNode', { name: 'Elsewhere', address: 'elsewhere.example' });
    const there = await full.call('createInbound', { ...fresh(), node_id: elsewhere.id, port });
    expect(there.status).toBe(201);
    await act('deleteInbound', { id: there.body.id });
  });

  it('of WireGuard have a key of the panel, addresses and the port of UDP without being asked for them', async () => {
    const { full } = panel;
    const { port = 0 } = (await full.call('createInbound', fresh())).body;
    const made = (await full.call('createInbound', { ...fresh(), protocol: 'wireguard', port })).body;
    const warnings = ['wireguard_by_name'];
    const shape = { network: 'udp', security: 'none', address_pool: '10.64.0.0/10', mtu: null, warnings };
    expect(made).toMatchObject({ ...shape, has_private_key: true, public_key: expect.stringMatching(/^[\w-]{43}$/) });
    const again = await full.call('createInbound', { ...fresh(), protocol: 'wireguard', port });
    expect(again.problem).toMatchObject({ detail: 'validation', errors: [{ pointer: '#/port', code: 'taken' }] });

    const { id } = made;
    for (const change of [{ public_key: null }, { private_key: null }, { public_key: 'a'.repeat(43) }] as const) {
      const pointer = `#/${Object.keys(change)[0]}`;
      const { errors } = (await full.call('updateInbound', { id, ...change })).problem;
      expect(errors?.map((one) => one.pointer)).toContain(pointer);
    }
    expect((await full.call('updateInbound', { id, public_key: made.public_key, mtu: 1280 })).body.mtu).toBe(1280);
    const { private_key, public_key } = await panel.act('makeRealityKeys', {});
    expect((await full.call('updateInbound', { id, private_key, public_key: null })).body.public_key).toBe(public_key);

    const { id: tariff_id } = (await full.call('createTariff', { name: 'Unlimited' })).body;
    const user = (await full.call('createUser', { name: 'Anna', tariff_id, inbounds: [id] })).body;
    const readShareLink = async (url = '') =>
      (await full.send({ method: 'GET', path: `${url}?format=plain` })).text.trim();
    const before = readLink(await readShareLink(user.sub_url));
    const place = user.id + 1;
    const address = `10.64.${Math.floor(place / 256)}.${place % 256}/32`;
    const publickey = `${public_key.replaceAll('-', '+').replaceAll('_', '/')}=`;
    expect(before).toMatchObject({ scheme: 'wireguard', port, parameters: { address, publickey, mtu: '1280' } });
    await full.call('reissueUser', { id: user.id });
    const { sub_url } = (await full.call('getUser', { id: user.id })).body;
    const after = readLink(await readShareLink(sub_url));
    expect(after.parameters).toEqual(before.parameters);
    expect(after.user).not.toBe(before.user);
    const audited = (await panel.act('listAudit', { limit: 20 })).items.map(({ detail }) => detail);
    expect(JSON.stringify(audited)).not.toContain(private_key);
    await panel.act('deleteUser', { id: user.id });
  });

  it('of Hysteria2 have the port of UDP, over QUIC with TLS without being asked for it', async () => {
    const { full } = panel;
    const stream = (await full.call('createInbound', fresh())).body;
    const { port = 0 } = stream;
    const hysteria = { ...fresh(), protocol: 'hysteria2', port, obfs_password: 'obfuscated' } as const;
    const made = await full.call('createInbound', hysteria);
    expect(made.body).toMatchObject({
      network: 'quic',
      security: 'tls',
      obfs_password: 'obfuscated',
      certificate_self_signed: true,
      warnings: [],
    });
    const taken = { detail: 'validation', errors: [{ pointer: '#/port', code: 'taken' }] };
    expect((await full.call('createInbound', { ...hysteria, tag: 'again' })).problem).toMatchObject(taken);
    const shadowsocks = { ...fresh(), protocol: 'shadowsocks', method: 'aes-256-gcm' } as const;
    expect((await full.call('createInbound', { ...shadowsocks, port })).problem).toMatchObject(taken);
    const both = (await full.call('createInbound', shadowsocks)).body;
    expect((await full.call('updateInbound', { id: made.body.id, port: both.port })).problem).toMatchObject(taken);
    const patched = await full.call('updateInbound', { id: made.body.id, obfs_password: null });
    expect(patched.body).toMatchObject({ obfs_password: null, port });
    expect((await full.call('updateInbound', { id: made.body.id, network: 'tcp' })).problem.errors).toMatchObject([
      { pointer: '#/network' },
    ]);
    const audited = (await panel.act('listAudit', { limit: 10 })).items.map(({ detail }) => detail);
    expect(JSON.stringify(audited)).not.toContain('obfuscated');
    expect(JSON.stringify(audited)).toContain('"obfs_password":"given"');
  });

  it('share a port, follow it, and keep it from being deleted', async () => {
    const { full } = panel;
    const tls = { security: 'tls', sni: 'de1.example.com' } as const;
    const owner = (await full.call('createInbound', { ...fresh(), ...tls, fallback: '127.0.0.1:8080' })).body;
    const { port = 0 } = owner;
    const sharing = { ...fresh(), security: 'tls', network: 'ws', path: '/ws', port } as const;
    const taken = { detail: 'validation', errors: [{ pointer: '#/port', code: 'taken' }] };
    expect((await full.call('createInbound', sharing)).problem).toMatchObject(taken);
    const refused = { detail: 'validation', errors: [{ pointer: '#/shares_port_of', code: 'inconsistent' }] };
    for (const more of [{ port: port + 1 }, { shares_port_of: 999_999 }])
      expect(
        (await full.call('createInbound', { ...sharing, shares_port_of: owner.id, ...more })).problem,
      ).toMatchObject(refused);
    const own = { ...sharing, shares_port_of: owner.id, alpn: ['h2'] as 'h2'[], min_client_version: '1.8.0' };
    expect((await full.call('createInbound', own)).problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual([
      '#/alpn',
      '#/min_client_version',
      '#/min_client_version',
    ]);
    const { decryption } = await panel.act('makeVlessEncryption', { authentication: 'x25519', appearance: 'native' });
    const notEncrypted = { detail: 'validation', errors: [{ pointer: '#/encryption', code: 'inconsistent' }] };
    expect((await full.call('updateInbound', { id: owner.id, decryption })).problem).toMatchObject(notEncrypted);
    const made = (await full.call('createInbound', { ...sharing, shares_port_of: owner.id })).body;
    expect(made).toMatchObject({ port, shares_port_of: owner.id, certificate_sha256: null, warnings: [] });
    const alone = { id: owner.id, decryption, fallback: null };
    expect((await full.call('updateInbound', alone)).problem).toMatchObject(notEncrypted);
    const again = { ...sharing, tag: 'again', path: '/ws?ed=2048', shares_port_of: owner.id };
    expect((await full.call('createInbound', again)).problem).toMatchObject(refused);
    expect((await full.call('createInbound', { ...fresh(), port })).problem).toMatchObject(taken);

    const { id: tariff_id } = (await full.call('createTariff', { name: 'Sharing' })).body;
    const user = (await full.call('createUser', { name: 'Sharer', tariff_id, inbounds: [made.id] })).body;
    const moved = await full.call('updateInbound', { id: owner.id, port: port + 3000 });
    expect(moved.body.port).toBe(port + 3000);
    expect((await full.call('getInbound', { id: made.id })).body.port).toBe(port + 3000);
    const link = readLink((await full.send({ method: 'GET', path: `${user.sub_url}?format=plain` })).text.trim());
    expect(link).toMatchObject({ port: port + 3000, parameters: { type: 'ws', sni: 'de1.example.com', path: '/ws' } });
    expect(link.parameters.pcs).toBe(owner.certificate_sha256);
    await full.call('updateInbound', { id: owner.id, enabled: false });
    expect((await full.call('getInbound', { id: made.id })).body.status).not.toBe('up');

    const broken = await full.call('updateInbound', { id: owner.id, network: 'grpc', fallback: null });
    expect(broken.problem).toMatchObject({ errors: [{ pointer: '#/network' }] });
    const inUse = await full.call('deleteInbound', { id: owner.id });
    expect(inUse.problem).toMatchObject({
      detail: 'inbound_in_use',
      in_use: { inbounds: { total: 1, first: [{ id: made.id, name: made.name }] } },
    });
    await full.call('deleteUser', { id: user.id });
    await full.call('deleteInbound', { id: made.id });
    expect((await full.call('deleteInbound', { id: owner.id })).status).toBe(204);
  });

  it('have a tag of their own on their node, and a node that exists', async () => {
    const first = fresh();
    const { id } = (await panel.full.call('createInbound', first)).body;
    const second = await panel.full.call('createInbound', { ...fresh(), tag: first.tag });
    expect(second.problem).toMatchObject({ detail: 'validation', errors: [{ pointer: '#/tag', code: 'taken' }] });
    const other = (await panel.full.call('createInbound', fresh())).body;
    expect((await panel.full.call('updateInbound', { id: other.id, tag: first.tag })).problem.errors?.[0]?.code).toBe(
      'taken',
    );
    expect((await panel.full.call('updateInbound', { id, tag: first.tag })).status).toBe(200);
    const nowhere = await panel.full.call('createInbound', { ...fresh(), node_id: missing });
    expect(nowhere.problem).toMatchObject({
      status: 422,
      detail: 'node_not_found',
      errors: [{ pointer: '#/node_id' }],
    });
  });

  it('keep their node and protocol; the rest is patched as a whole that fits', async () => {
    const { id } = (await panel.full.call('createInbound', { ...fresh(), network: 'ws', path: '/a' })).body;
    for (const body of [{ node_id: fixtures.nodeId }, { protocol: 'vless' }]) {
      expect((await panel.full.call('updateInbound', { id, ...body } as never)).problem.detail).toBe('validation');
    }
    expect((await panel.full.call('updateInbound', { id, network: 'tcp' })).problem.errors?.[0]?.pointer).toBe(
      '#/path',
    );
    const patched = await panel.full.call('updateInbound', { id, network: 'tcp', path: null });
    expect(patched.body).toMatchObject({ network: 'tcp', path: null });
    const again = await panel.full.call('updateInbound', { id, network: 'tcp' });
    expect(again.headers.etag, 'nothing new').toBe(patched.headers.etag);
  });

  it('named by a plan or a user stay', async () => {
    const { id } = (await panel.full.call('createInbound', fresh())).body;
    const tariff = await panel.act('createTariff', { name: 'names', inbounds: [id] });
    const refused = async () => (await panel.full.call('deleteInbound', { id })).problem;
    const nothing = { total: 0, first: [] };
    expect(await refused()).toMatchObject({
      status: 409,
      detail: 'inbound_in_use',
      in_use: { users: nothing, tariffs: { total: 1, first: [{ id: tariff.id, name: 'names' }] } },
    });
    const user = await panel.act('createUser', { name: 'A', tariff_id: tariff.id });
    await panel.full.call('updateTariff', { id: tariff.id, inbounds: null });
    expect(await refused()).toMatchObject({
      detail: 'inbound_in_use',
      in_use: { users: { total: 1, first: [{ id: user.id, name: 'A' }] }, tariffs: nothing },
    });
    await panel.full.call('updateUser', { id: user.id, inbounds: [] });
    expect((await panel.full.call('deleteInbound', { id })).status).toBe(204);
    expect((await panel.full.call('deleteInbound', { id })).status).toBe(404);
  });

  it('are listed by node', async () => {
    const { id: nodeId } = await panel.act('createNode', { name: 'Second', address: 'second.example' });
    const made = (await panel.full.call('createInbound', { ...fresh(), node_id: nodeId })).body;
    expect((await panel.full.call('listInbounds', { node_id: nodeId })).body).toMatchObject({
      total: 1,
      items: [made],
    });
    const all = (await panel.read.call('listInbounds', {})).body.total;
    expect((await panel.read.call('listInbounds', { node_id: fixtures.nodeId })).body.total).toBe(all - 1);
    expect((await panel.read.call('listInbounds', { node_id: missing })).body.total).toBe(0);
  });

  it('have the status of their node while both are enabled', async () => {
    const { id } = (await panel.full.call('createInbound', fresh())).body;
    const status = async () => (await panel.read.call('getInbound', { id })).body.status;
    expect(await status()).toBe('up');
    await panel.full.call('updateInbound', { id, enabled: false });
    expect(await status()).toBe('down');
    await panel.full.call('updateInbound', { id, enabled: true });
    await panel.act('updateNode', { id: fixtures.nodeId, enabled: false });
    expect(await status()).toBe('down');
    await panel.act('updateNode', { id: fixtures.nodeId, enabled: true });
    expect(await status()).toBe('up');
  });
});

describe('nodes', () => {
  it('show a Read key no address and no note, and of an error its code alone', async () => {
    await panel.act('updateNode', { id: fixtures.nodeId, note: 'Rented until May' });
    const full = (await panel.full.call('getNode', { id: fixtures.nodeId })).body;
    const read = (await panel.read.call('getNode', { id: fixtures.nodeId })).body;
    expect(full).toMatchObject({ address: NODE_ADDRESS, error: expect.stringContaining(NODE_ADDRESS) });
    const { address: _address, note, error: _error, uptime_s: _uptime, poll_age_s: _age, ...shared } = full;
    expect(note).toBe('Rented until May');
    expect(read).toMatchObject({
      ...shared,
      error: 'engine_unreachable',
      error_code: 'engine_unreachable',
      core: { name: 'xray', version: '26.9.11' },
    });
    expect('address' in read || 'note' in read).toBe(false);
    for (const node of (await panel.read.call('listNodes', {})).body.items) expect('address' in node).toBe(false);
    expect(read.uptime_s).toBeGreaterThanOrEqual(3600);
  });

  it('are not up where they were last read long ago, in any list or count', async () => {
    const { nodeId } = fixtures;
    const { nodes } = panel.store;
    const row = nodes.get(nodeId);
    if (!row) throw new Error('no node');
    const up = async () => (await panel.full.call('getOverview', {})).body.nodes.up;
    const before = await up();
    panel.store.write(() => nodes.save({ ...row, lastSeenAt: (row.lastSeenAt ?? 0) - 46 * 60_000 }));
    expect((await panel.full.call('getNode', { id: nodeId })).body).toMatchObject({
      status: 'unknown',
      uptime_s: null,
      users_online: 0,
    });
    expect(await up()).toBe(before - 1);
    const { items } = (await panel.full.call('listInbounds', { node_id: nodeId })).body;
    expect(items.map(({ status }) => status)).not.toContain('up');
    panel.store.write(() => nodes.save(row));
    expect((await panel.full.call('getNode', { id: nodeId })).body.status).toBe('up');
  });

  it('say what their engine has not been told of, and what it can do when a user may no longer connect', async () => {
    const { nodeId, users } = fixtures;
    const { sync, nodes } = panel.store;
    const read = async () => (await panel.read.call('getNode', { id: nodeId })).body;
    expect(await read()).toMatchObject({ pending_changes: null, cut_off: ['refuse', 'reopen', 'restart'] });
    panel.store.write(() => sync.begin(nodeId, { boot: 'b', position: sync.latest(), cautiousUntil: 0 }));
    expect((await read()).pending_changes).toBe(0);
    await panel.act('updateUser', { id: users.active.id, enabled: false });
    await panel.act('updateUser', { id: users.active.id, enabled: true });
    expect((await read()).pending_changes).toBe(2);
    panel.store.write(() => sync.savePosition(nodeId, null));
    expect((await read()).pending_changes).toBeNull();
    const { id } = await panel.act('createNode', { name: 'Silent', address: 'silent.example' });
    const silent = { poll_age_s: null, pending_changes: null, cut_off: null };
    expect((await panel.read.call('getNode', { id })).body).toMatchObject(silent);
    const row = nodes.get(id);
    if (!row) throw new Error('no node');
    panel.store.write(() => nodes.save({ ...row, lastSeenAt: row.createdAt - 60_000, coreName: 'other' }));
    const { poll_age_s, cut_off } = (await panel.read.call('getNode', { id })).body;
    expect(poll_age_s).toBeGreaterThanOrEqual(60);
    expect(cut_off).toBeNull();
  });

  it('have a log, empty where no engine has run, and only where there is such a node', async () => {
    expect(await panel.act('getNodeLog', { id: fixtures.nodeId })).toEqual({ lines: [] });
    await expect(panel.act('getNodeLog', { id: missing })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are listed by id, and one that is not there is not found', async () => {
    const { items, total } = (await panel.read.call('listNodes', { limit: 500 })).body;
    expect(total).toBe(items.length);
    expect((await panel.read.call('getNode', { id: missing })).problem.detail).toBe('not_found');
  });
});

describe('settings', () => {
  it('tell what a bot may know, to any key, and no address', async () => {
    const { body, text } = await panel.read.call('getSettings');
    expect(body).toMatchObject({
      time_zone: 'Asia/Kolkata',
      language: 'en',
      limits: { page: 500, bulk: 10_000, body_bytes: 1_048_576, idempotency_hours: 24 },
    });
    expect((await panel.full.call('getSettings')).body).toEqual(body);
    const { secretPath, subPath, instanceId } = panel.core.settings();
    for (const secret of [secretPath, instanceId, `"${subPath}"`, '127.0.0.1']) expect(text).not.toContain(secret);
  });
});

describe('the OpenAPI file', () => {
  it('has the panel’s own address as its only server', async () => {
    const { body } = await panel.read.call('getOpenApi');
    expect(body).toMatchObject({ openapi: '3.1.1', servers: [{ url: panel.baseUrl }] });
  });
});
