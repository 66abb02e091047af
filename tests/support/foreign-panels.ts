// Small databases of other panels: the tables and columns that an import reads, with each awkward case once.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const X25519 = 'mNZ4Zc3JQhF0jXW6sV1k2bA8yT5uR7oPqLxEwGdHi0U';
const KEY_16 = Buffer.alloc(16, 7).toString('base64');
export const OLD_UUID = '3f1b0c5e-7a52-4c1e-9d2f-0a6b8c7d9e10';
const GB = 1024 ** 3;
export const MARZNESHIN_KEY = '0123456789abcdef0123456789abcdef';
export const JWT_SECRET = '5e'.repeat(32);
const PAST_MS = Date.UTC(2026, 0, 1);

interface Client {
  readonly email: string;
  readonly [member: string]: unknown;
}

const REALITY = {
  network: 'tcp',
  security: 'reality',
  realitySettings: {
    dest: 'www.example.org:443',
    serverNames: ['www.example.org', 'example.org'],
    privateKey: X25519,
    shortIds: ['', 'ab12', '01'],
    settings: { fingerprint: 'firefox' },
  },
};

/** Clients of each inbound. */
export const CLIENTS: Readonly<Record<number, readonly Client[]>> = {
  1: [
    { email: 'ann', id: OLD_UUID, flow: 'xtls-rprx-vision', subId: 'annsub', totalGB: 10 * GB, enable: true },
    { email: 'two-a', id: '11111111-1111-4111-8111-111111111111', flow: 'xtls-rprx-vision', subId: 'two', totalGB: GB },
    { email: 'off', id: '22222222-2222-4222-8222-222222222222', flow: '', subId: 'off', enable: false },
    { email: 'hold', id: '33333333-3333-4333-8333-333333333333', flow: 'xtls-rprx-vision', expiryTime: -43_200_000 },
    { email: 'text', id: 'ann-phone-7', flow: 'xtls-rprx-vision', subId: '' },
    { email: "'; DROP TABLE users; --", id: '44444444-4444-4444-8444-444444444444', flow: 'xtls-rprx-vision' },
  ],
  2: [
    { email: 'two-b', id: '55555555-5555-4555-8555-555555555555', subId: 'two', totalGB: GB },
    { email: 'differ', id: '66666666-6666-4666-8666-666666666666', subId: 'annsub', totalGB: 5 * GB, tgId: ' 77 ' },
    { email: 'x'.repeat(150), id: '77777777-7777-4777-8777-777777777777', tgId: '@name', comment: 'a\r\nb' },
  ],
  3: [{ email: 'old', password: KEY_16, expiryTime: PAST_MS, reset: 30 }],
};

export interface ForeignOptions {
  /** Default: those above. */
  readonly clients?: typeof CLIENTS;
  /** Users more, for a second import or for speed. */
  readonly more?: readonly Client[];
  /** Bytes down of the client `ann`. */
  readonly used?: number;
  /** Whether the newest rows are in a journal beside the file. */
  readonly journal?: boolean;
}

/** 3x-ui before 3.1. */
export function writeThreeXui(
  path: string,
  { clients: given = CLIENTS, more = [], used = 1000, journal = false }: ForeignOptions = {},
): Database.Database | null {
  const db = new Database(path);
  if (journal) db.pragma('journal_mode = WAL');
  db.exec(`CREATE TABLE settings (id INTEGER PRIMARY KEY, key TEXT, value TEXT);
    CREATE TABLE inbounds (id INTEGER PRIMARY KEY, up INTEGER, down INTEGER, total INTEGER, remark TEXT, enable NUMERIC,
      expiry_time INTEGER, listen TEXT, port INTEGER, protocol TEXT, settings TEXT, stream_settings TEXT, tag TEXT);
    CREATE TABLE client_traffics (id INTEGER PRIMARY KEY, inbound_id INTEGER, enable NUMERIC, email TEXT, up INTEGER,
      down INTEGER, all_time INTEGER, expiry_time INTEGER, total INTEGER, reset INTEGER)`);
  db.prepare("INSERT INTO settings (key, value) VALUES ('secret', 'an installation')").run();
  const inbound = db.prepare('INSERT INTO inbounds VALUES (?, 0, 0, 0, ?, 1, 0, ?, ?, ?, ?, ?, ?)');
  const traffic = db.prepare('INSERT INTO client_traffics VALUES (NULL, ?, ?, ?, ?, ?, 0, ?, ?, 0)');
  const add = (
    id: number,
    name: string,
    listen: string,
    port: number,
    protocol: string,
    settings: object,
    stream: object,
  ) => {
    const clients = [...(given[id] ?? []), ...(id === 1 ? more : [])];
    const text = `${JSON.stringify({ ...settings, clients }, null, 2)}\n`;
    inbound.run(id, name, listen, port, protocol, text, JSON.stringify(stream), `inbound-${listen}:${port}`);
    for (const { email, totalGB = 0, expiryTime = 0 } of clients)
      traffic.run(id, 1, email, 10, email === 'ann' ? used : 5, expiryTime, totalGB);
  };
  add(1, 'NL reality', '', 20_443, 'vless', { decryption: 'none' }, REALITY);
  const ws = { path: '/w', headers: { Host: 'cdn.example.com' } };
  add(
    2,
    'ws',
    '127.0.0.1',
    20_080,
    'vmess',
    {},
    {
      network: 'ws',
      security: 'none',
      wsSettings: ws,
      externalProxy: [{ dest: 'cdn.example.com', port: 443, remark: 'CDN', forceTls: 'tls' }],
    },
  );
  add(3, 'ss', '', 20_388, 'shadowsocks', { method: '2022-blake3-aes-128-gcm', password: KEY_16 }, { network: 'tcp' });
  add(4, 'obfuscated', '', 20_389, 'vless', {}, { network: 'kcp' });
  if (journal) return db;
  db.close();
  return null;
}

/** Marzban with its file of connections; returns both paths. */
export function writeMarzban(folder: string): readonly string[] {
  const path = join(folder, 'db.sqlite3');
  const db = new Database(path);
  db.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, status TEXT, used_traffic INTEGER, data_limit INTEGER,
      data_limit_reset_strategy TEXT, expire INTEGER, admin_id INTEGER, created_at TEXT, note TEXT, online_at TEXT,
      on_hold_expire_duration INTEGER, on_hold_timeout TEXT, auto_delete_in_days INTEGER);
    CREATE TABLE proxies (id INTEGER PRIMARY KEY, user_id INTEGER, type TEXT, settings TEXT);
    CREATE TABLE exclude_inbounds_association (proxy_id INTEGER, inbound_tag TEXT);
    CREATE TABLE user_usage_logs (id INTEGER PRIMARY KEY, user_id INTEGER, used_traffic_at_reset INTEGER);
    CREATE TABLE admins (id INTEGER PRIMARY KEY, username TEXT);
    CREATE TABLE next_plans (id INTEGER PRIMARY KEY, user_id INTEGER);
    CREATE TABLE jwt (id INTEGER PRIMARY KEY, secret_key TEXT);
    CREATE TABLE hosts (id INTEGER PRIMARY KEY, remark TEXT, address TEXT, port INTEGER, inbound_tag TEXT);
    INSERT INTO jwt VALUES (1, '${JWT_SECRET}'); INSERT INTO admins VALUES (1, 'reseller');
    INSERT INTO hosts VALUES (1, 'DE {USERNAME}', 'de.example.com', 443, 'VLESS TCP REALITY');
    INSERT INTO users VALUES (1, 'ann', 'active', 700, 1000, 'month', NULL, 1, '2026-01-02 03:04:05.678', 'n', NULL, NULL, NULL, NULL);
    INSERT INTO users VALUES (2, 'held', 'on_hold', 0, 0, 'year', NULL, NULL, '2026-01-02 03:04:05', NULL, NULL, 86401, '2026-12-01 00:00:00', 7);
    INSERT INTO users VALUES (3, 'Ann', 'disabled', 9, NULL, 'no_reset', 1767225600, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO users VALUES (4, 'twin', 'active', 9, NULL, 'no_reset', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO user_usage_logs VALUES (1, 1, 300); INSERT INTO next_plans VALUES (1, 3)`);
  const proxy = db.prepare('INSERT INTO proxies (user_id, type, settings) VALUES (?, ?, ?)');
  proxy.run(1, 'VLESS', JSON.stringify({ id: OLD_UUID, flow: 'xtls-rprx-vision' }));
  proxy.run(1, 'VMess', JSON.stringify({ id: 'aaaaaaaa-0000-4000-8000-000000000001' }));
  proxy.run(1, 'Trojan', JSON.stringify({ password: 'pä$s/w+rd' }));
  proxy.run(2, 'VLESS', JSON.stringify({ id: 'aaaaaaaa-0000-4000-8000-000000000002', flow: '' }));
  proxy.run(3, 'Trojan', JSON.stringify({ password: 'short' }));
  proxy.run(4, 'VLESS', JSON.stringify({ id: OLD_UUID, flow: 'xtls-rprx-vision' }));
  db.exec("INSERT INTO exclude_inbounds_association VALUES (2, 'VMess TCP')");
  db.close();
  const config = join(folder, 'xray_config.json');
  const trojan = {
    network: 'tcp',
    security: 'tls',
    tlsSettings: { serverName: 'vpn.example.com', certificates: [{ certificateFile: '/a', keyFile: '/b' }] },
  };
  writeFileSync(
    config,
    JSON.stringify({
      inbounds: [
        {
          tag: 'VLESS TCP REALITY',
          port: 21_443,
          protocol: 'vless',
          settings: { decryption: 'none' },
          streamSettings: REALITY,
        },
        { tag: 'VMess TCP', port: 21_080, protocol: 'vmess', streamSettings: { network: 'tcp' } },
        {
          tag: 'VMess WS',
          port: 21_081,
          protocol: 'vmess',
          streamSettings: { network: 'ws', wsSettings: { path: '/w' } },
        },
        { tag: 'Trojan', port: 21_082, protocol: 'trojan', streamSettings: trojan },
      ],
    }),
  );
  return [path, config];
}

const NEW_UUID = (number: number) => `bbbbbbbb-0000-4000-8000-${String(number).padStart(12, '0')}`;
/** Inbounds of Xray with what panels leave out of them. */
const XRAY_INBOUNDS = [
  {
    tag: 'reality',
    port: 22_443,
    protocol: 'vless',
    settings: { decryption: 'none', flow: 'xtls-rprx-vision' },
    streamSettings: REALITY,
  },
  { tag: 'vmess', port: 22_080, protocol: 'vmess', streamSettings: { network: 'ws', wsSettings: { path: '/w' } } },
  { tag: 'ss', port: 22_388, protocol: 'shadowsocks', settings: { network: 'tcp,udp' } },
  {
    tag: 'ss 2022',
    port: 22_389,
    protocol: 'shadowsocks',
    settings: { method: '2022-blake3-aes-256-gcm', password: Buffer.alloc(32, 9).toString('base64') },
  },
  {
    tag: 'trojan',
    port: 22_082,
    protocol: 'trojan',
    settings: { fallbacks: [{ dest: 8080, xver: 1 }] },
    streamSettings: { network: 'tcp', security: 'tls', tlsSettings: { serverName: 'vpn.example.com' } },
  },
] as const;

/** PasarGuard; returns the path. */
export function writePasarGuard(folder: string): string {
  const path = join(folder, 'pasarguard.sqlite3');
  const db = new Database(path);
  db.exec(`CREATE TABLE jwt (id INTEGER PRIMARY KEY, secret_key TEXT); CREATE TABLE admins (id INTEGER PRIMARY KEY, username TEXT);
    CREATE TABLE core_configs (id INTEGER PRIMARY KEY, name TEXT, config TEXT); CREATE TABLE inbounds (id INTEGER PRIMARY KEY, tag TEXT);
    CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT, is_disabled BOOLEAN);
    CREATE TABLE inbounds_groups_association (inbound_id INTEGER, group_id INTEGER);
    CREATE TABLE users_groups_association (user_id INTEGER, groups_id INTEGER);
    CREATE TABLE user_usage_logs (id INTEGER PRIMARY KEY, user_id INTEGER, used_traffic_at_reset INTEGER);
    CREATE TABLE user_hwids (id INTEGER PRIMARY KEY, user_id INTEGER, hwid TEXT);
    CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, status TEXT, used_traffic INTEGER, data_limit INTEGER, created_at TEXT,
      admin_id INTEGER, data_limit_reset_strategy TEXT, sub_revoked_at TEXT, note TEXT, online_at TEXT, on_hold_timeout TEXT,
      on_hold_expire_duration INTEGER, auto_delete_in_days INTEGER, expire TEXT, proxy_settings TEXT, hwid_limit INTEGER);
    INSERT INTO jwt VALUES (1, '${JWT_SECRET}'); INSERT INTO admins VALUES (1, 'seller');
    INSERT INTO groups VALUES (1, 'all', 0), (2, 'off', 1);
    INSERT INTO users_groups_association VALUES (1, 1), (2, 2), (3, 1);
    INSERT INTO user_usage_logs VALUES (1, 1, 5); INSERT INTO user_hwids VALUES (1, 1, 'phone')`);
  db.prepare('INSERT INTO core_configs VALUES (1, ?, ?)').run('xray', JSON.stringify({ inbounds: XRAY_INBOUNDS }));
  db.prepare('INSERT INTO core_configs VALUES (2, ?, ?)').run('wg', JSON.stringify({ interface_name: 'wg0' }));
  const inbound = db.prepare('INSERT INTO inbounds VALUES (?, ?)');
  for (const [index, { tag }] of XRAY_INBOUNDS.entries()) {
    inbound.run(index + 1, tag);
    db.exec(`INSERT INTO inbounds_groups_association VALUES (${index + 1}, 1), (${index + 1}, 2)`);
  }
  const user = db.prepare(
    `INSERT INTO users (id, username, status, used_traffic, data_limit, created_at, admin_id, data_limit_reset_strategy, note,
       on_hold_expire_duration, expire, proxy_settings, hwid_limit)
     VALUES (?, ?, ?, ?, ?, '2026-01-02 03:04:05.678', 1, ?, ?, ?, ?, ?, ?)`,
  );
  const proxies = (number: number, method: string) =>
    JSON.stringify({
      vless: { id: NEW_UUID(number) },
      vmess: { id: NEW_UUID(number + 100) },
      trojan: { password: 'p'.repeat(24) + number },
      shadowsocks: { password: 's'.repeat(24) + number, method },
    });
  const usual = 'chacha20-ietf-poly1305';
  user.run(1, 'ann', 'active', 100, 1000, 'month', 'n', null, '2027-01-01 00:00:00.000000', proxies(1, usual), 2);
  user.run(2, 'off', 'disabled', 0, 0, 'no_reset', null, null, null, proxies(2, usual), null);
  user.run(3, 'held', 'on_hold', 0, null, 'year', null, 86_400, null, proxies(3, 'aes-128-gcm'), null);
  db.close();
  return path;
}

/** Marzneshin with its node's configuration; returns both paths. */
export function writeMarzneshin(folder: string): readonly string[] {
  const path = join(folder, 'marzneshin.sqlite3');
  const db = new Database(path);
  db.exec(`CREATE TABLE jwt (id INTEGER PRIMARY KEY, secret_key TEXT); CREATE TABLE admins (id INTEGER PRIMARY KEY, username TEXT);
    CREATE TABLE inbounds (id INTEGER PRIMARY KEY, tag TEXT, config TEXT);
    CREATE TABLE inbounds_services (inbound_id INTEGER, service_id INTEGER);
    CREATE TABLE users_services (user_id INTEGER, service_id INTEGER);
    CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, key TEXT, used_traffic INTEGER, data_limit INTEGER,
      data_limit_reset_strategy TEXT, ip_limit INTEGER, admin_id INTEGER, created_at TEXT, note TEXT, online_at TEXT, enabled BOOLEAN,
      lifetime_used_traffic INTEGER, expire_strategy TEXT, activation_deadline TEXT, expire_date TEXT, usage_duration INTEGER, removed BOOLEAN);
    INSERT INTO jwt VALUES (1, 'secret'); INSERT INTO users_services VALUES (1, 1), (2, 1);
    INSERT INTO users VALUES (1, 'ann', '${MARZNESHIN_KEY}', 5, 1000, 'no_reset', -1, NULL, '2026-01-02 03:04:05', 'n', NULL, 1, 70,
      'FIXED_DATE', NULL, '2027-01-01 00:00:00', NULL, 0);
    INSERT INTO users VALUES (2, 'Аня', '${'f0'.repeat(16)}', 0, NULL, 'no_reset', 3, NULL, NULL, '', NULL, 0, 0,
      'START_ON_FIRST_USE', '2026-12-01 00:00:00', NULL, 86400, 0);
    INSERT INTO users VALUES (3, NULL, '${'e0'.repeat(16)}', 9, NULL, 'no_reset', -1, NULL, NULL, '', NULL, 1, 9,
      'NEVER', NULL, NULL, NULL, 1)`);
  const inbound = db.prepare('INSERT INTO inbounds VALUES (?, ?, ?)');
  for (const [index, { tag }] of XRAY_INBOUNDS.entries()) {
    const flow = tag === 'reality' ? 'xtls-rprx-vision' : null;
    inbound.run(index + 1, tag, JSON.stringify({ tag, flow }));
    db.exec(`INSERT INTO inbounds_services VALUES (${index + 1}, 1)`);
  }
  db.close();
  const config = join(folder, 'node.json');
  writeFileSync(config, JSON.stringify({ inbounds: XRAY_INBOUNDS.filter(({ tag }) => tag !== 'ss 2022') }));
  return [path, config];
}

/** A backup of Hiddify; returns the path. */
export function writeHiddify(folder: string): string {
  const path = join(folder, 'hiddify.json');
  const user = (number: number, values: object) => ({
    uuid: NEW_UUID(number),
    name: `h${number}`,
    added_by_uuid: 'admin',
    comment: '',
    current_usage_GB: 0,
    usage_limit_GB: 100,
    enable: true,
    last_online: '0001-01-01 00:00:00',
    last_reset_time: '2026-11-01 00:00:00',
    mode: 'no_reset',
    package_days: 30,
    start_date: null,
    telegram_id: null,
    wg_pk: '',
    ...values,
  });
  const users = [
    user(1, { current_usage_GB: 2.7, start_date: '2026-11-10', telegram_id: 5_000_000_000 }),
    user(2, { usage_limit_GB: 1_000_000, package_days: 0 }),
    user(3, { usage_limit_GB: 0, package_days: -5, mode: 'weekly' }),
    user(4, { enable: false, comment: "'; DROP TABLE users; --" }),
  ];
  const hconfigs = [
    { key: 'proxy_path_client', value: 'ClientPath' },
    { key: 'unique_id', value: 'an installation' },
  ];
  const proxies = [
    { name: 'tls WS vless', enable: true },
    { name: 'off', enable: false },
  ];
  writeFileSync(path, JSON.stringify({ users, hconfigs, proxies, admin_users: [{ uuid: 'admin', name: 'Owner' }] }));
  return path;
}

/** Answers of Remnawave's API; returns their paths. */
export function writeRemnawave(folder: string): readonly string[] {
  const user = (id: number, values: object) => ({
    id,
    shortUuid: `shortUuid${String(id).padStart(7, '0')}`,
    username: `r${id}`,
    status: 'ACTIVE',
    trafficLimitBytes: 0,
    trafficLimitStrategy: 'NO_RESET',
    expireAt: '2099-12-31T15:13:22.214Z',
    telegramId: null,
    email: null,
    description: null,
    tag: null,
    hwidDeviceLimit: null,
    trojanPassword: 't'.repeat(24) + id,
    vlessUuid: NEW_UUID(id),
    ssPassword: 'k'.repeat(31) + id,
    createdAt: '2026-11-01T00:00:00.000Z',
    subscriptionUrl: `https://sub.example.com/api/sub/shortUuid${String(id).padStart(7, '0')}`,
    activeInternalSquads: [{ uuid: 'squad' }],
    userTraffic: { usedTrafficBytes: 3, lifetimeUsedTrafficBytes: 9, onlineAt: null },
    ...values,
  });
  const users = [
    user(1, { email: 'a@example.com', tag: 'VIP', telegramId: 5_000_000_000, trafficLimitStrategy: 'MONTH_ROLLING' }),
    user(2, { status: 'DISABLED', activeInternalSquads: [], expireAt: '2026-11-02T00:00:00.000Z' }),
    user(3, { shortUuid: 'ann', subscriptionUrl: 'https://sub.example.com/api/sub/ann' }),
  ];
  const inbounds = XRAY_INBOUNDS.filter(({ tag }) => tag !== 'ss').map((inbound) => ({
    tag: inbound.tag,
    rawInbound: inbound,
  }));
  const write = (name: string, response: object) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify({ response }));
    return path;
  };
  return [
    write('users-0.json', { total: 3, users: users.slice(0, 2) }),
    write('users-2.json', { total: 3, users: users.slice(1) }),
    write('squads.json', { internalSquads: [{ uuid: 'squad', inbounds }] }),
  ];
}
