// Remnawave: answers of its API, saved as files: its users, on one page or several, and its internal squads with their inbounds.
import type { DocumentInbound, DocumentUser } from '../../contract/imports/document.ts';
import type { ResetStrategy } from '../../contract/users/users.ts';
import { hasKeys } from '../../domain/nodes/shadowsocks.ts';
import { ImportRefusal } from './import-refusal.ts';
import { fitFamilies } from './secrets.ts';
import { buildUser, createLosses, listCredentials, type SourceDocument } from './source-document.ts';
import {
  cleanText,
  findNamed,
  type Json,
  parseInstant,
  toArray,
  toBytes,
  toInteger,
  toObject,
  toText,
} from './values.ts';
import { mapXrayConfig } from './xray-config.ts';

/** From then on a term never ends. */
const NEVER = Date.UTC(2099, 0, 1);
/** Its engine has it where an inbound names none. */
const METHOD = 'chacha20-ietf-poly1305';
const VISION = 'xtls-rprx-vision';

const RESETS: Readonly<Record<string, ResetStrategy>> = {
  NO_RESET: 'none',
  DAY: 'day',
  WEEK: 'week',
  MONTH: 'month',
  // On the day of the month on which the user was created.
  MONTH_ROLLING: 'period',
};

/** A file has the body of an answer. */
function readResponse(json: Json): Json {
  return toObject(json.response);
}

export function isRemnawave(files: readonly Json[]): boolean {
  return files.some((file) => Array.isArray(readResponse(file).users));
}

export function readRemnawave(files: readonly Json[], now: number): SourceDocument {
  const list = (name: string) => files.flatMap((file) => toArray(readResponse(file)[name]).map(toObject));
  const found = list('users');
  checkComplete(files, found.length);
  const squads = list('internalSquads');
  const raw = new Map<string, Json>();
  for (const squad of squads)
    for (const inbound of toArray(squad.inbounds).map(toObject))
      raw.set(toText(inbound.tag), toObject(inbound.rawInbound));
  const { inbounds, leftOut } = mapXrayConfig([...raw.values()], { method: METHOD, flowOf: findFlow });
  const tagsOf = new Map(
    squads.map((squad) => [
      toText(squad.uuid),
      toArray(squad.inbounds).map((inbound) => cleanText(toText(toObject(inbound).tag), 300)),
    ]),
  );
  // Pages may overlap where users were created meanwhile.
  const users = new Map(found.map((user) => [toText(user.id), user]));
  const { host, path } = readAddress(found);
  return {
    source: 'remnawave',
    instance: host,
    links: { kind: 'constant', path, secret: null },
    inbounds,
    leftOut,
    hosts: [],
    users: [...users.values()].map((user) => readUser(user, squads.length === 0 ? null : inbounds, tagsOf, now)),
  };
}

/** A page that is missing would leave users behind. */
function checkComplete(files: readonly Json[], count: number): void {
  const total = Math.max(0, ...files.map((file) => toInteger(readResponse(file).total)));
  const isPaged = files.some(
    (file) => Array.isArray(readResponse(file).users) && toInteger(readResponse(file).total) > 0,
  );
  if (isPaged && count < total) throw new ImportRefusal('incomplete', `${count} of ${total} users`);
}

/** The path of links, by those that the users have. */
function readAddress(users: readonly Json[]): { readonly host: string; readonly path: string } {
  const [first] = users;
  const token = toText(first?.shortUuid);
  const url = URL.parse(toText(first?.subscriptionUrl));
  const end = url?.pathname.lastIndexOf(`/${token}`) ?? -1;
  const path = url === null || token === '' || end < 0 ? '/api/sub/' : `${url.pathname.slice(0, end)}/`;
  return { host: url?.host || 'unknown', path: cleanText(path, 200) };
}

/** It gives users the flow wherever one is possible. */
function findFlow(entry: Json): string {
  const { flow } = toObject(entry.settings);
  return flow === undefined ? VISION : toText(flow);
}

function readUser(
  user: Json,
  inbounds: readonly DocumentInbound[] | null,
  tagsOf: ReadonlyMap<string, readonly string[]>,
  now: number,
): DocumentUser {
  const { losses, lose } = createLosses();
  if (inbounds === null) lose('connections_unknown', 'squads.json');
  const reset = toText(user.trafficLimitStrategy) || 'NO_RESET';
  if (findNamed(RESETS, reset) === undefined) lose('reset_replaced', reset);
  const traffic = toObject(user.userTraffic);
  const used = toBytes(traffic.usedTrafficBytes);
  const expiresAt = parseInstant(user.expireAt);
  const tags = new Set(
    toArray(user.activeInternalSquads).flatMap((squad) => tagsOf.get(toText(toObject(squad).uuid)) ?? []),
  );
  const secretOf = ({ protocol, method }: DocumentInbound) => {
    if (protocol === 'vless') return toText(user.vlessUuid);
    if (protocol === 'trojan') return toText(user.trojanPassword);
    if (protocol !== 'shadowsocks') return null;
    const password = toText(user.ssPassword);
    return hasKeys(method) ? Buffer.from(password).toString('base64') : password;
  };
  return buildUser(
    {
      id: toText(user.id) || toText(user.uuid),
      name: toText(user.username),
      contact: toText(user.email),
      note: toText(user.description),
      tags: [toText(user.tag)],
      telegram: user.telegramId,
      metadata: {},
      enabled: toText(user.status) !== 'DISABLED',
      expiresAt: expiresAt !== null && expiresAt >= NEVER ? null : expiresAt,
      holdSeconds: null,
      limitBytes: toBytes(user.trafficLimitBytes) || null,
      usedUp: 0,
      usedDown: used,
      totalUp: 0,
      totalDown: Math.max(used, toBytes(traffic.lifetimeUsedTrafficBytes)),
      reset: findNamed(RESETS, reset) ?? 'none',
      deviceLimit: toInteger(user.hwidDeviceLimit) || null,
      concurrentLimit: null,
      credentials:
        inbounds &&
        listCredentials(
          inbounds.filter((inbound) => tags.has(inbound.id)),
          secretOf,
          lose,
        ),
      families: fitFamilies({ uuid: toText(user.vlessUuid), password: toText(user.trojanPassword) }),
      links: [{ token: toText(user.shortUuid), notBefore: null }],
      onlineAt: parseInstant(traffic.onlineAt),
      createdAt: parseInstant(user.createdAt),
    },
    losses,
    now,
  );
}
