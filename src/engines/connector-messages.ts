// Encodes and decodes the messages of the engines' API, only the fields that the panel needs. Xray and v2ray use the same field numbers.
import { setImmediate as nextTurn } from 'node:timers/promises';
import protobuf from 'protobufjs/minimal.js';
import { type ConnectedAddress, EngineError } from '../core/ports/engines.ts';
import type { WireguardPeer } from './wireguard-key.ts';

/** A request without fields. */
export const NOTHING = new Uint8Array(0);

// Node finds no named exports in this CommonJS module.
const { Reader, Writer } = protobuf;
type Reader = protobuf.Reader;
type Writer = protobuf.Writer;

/** A message inside another: the full name of its type, and its bytes. */
export interface TypedMessage {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Counters that are decoded before the event loop gets a turn: a reply about 100,000 users has megabytes. */
const COUNTERS_A_TURN = 5000;

const LENGTH_DELIMITED = 2;
/** `common.protocol.SecurityType`: AUTO, the client chooses. */
const SECURITY_AUTO = 2;

/** A message of string fields, by field number. */
export function encodeTexts(texts: Readonly<Record<number, string>>): Uint8Array {
  const writer = Writer.create();
  for (const [field, text] of Object.entries(texts)) writeText(writer, Number(field), text);
  return writer.finish();
}

/** `vmess.Account`: id = 1, security_settings = 3 with type = 1. */
export function encodeVmessAccount(uuid: string): Uint8Array {
  const settings = Writer.create().uint32(8).uint32(SECURITY_AUTO).finish();
  return writeBytes(writeText(Writer.create(), 1, uuid), 3, settings).finish();
}

/** `shadowsocks.Account`: password = 1, cipher_type = 2. */
export function encodeShadowsocksAccount(password: string, cipher: number): Uint8Array {
  return writeText(Writer.create(), 1, password).uint32(16).uint32(cipher).finish();
}

/** `wireguard.PeerConfig`: public_key = 1 in hexadecimal, allowed_ips = 5. */
export function encodePeer({ publicKey, allowedIps }: WireguardPeer): Uint8Array {
  const writer = writeText(Writer.create(), 1, publicKey);
  for (const network of allowedIps) writeText(writer, 5, network);
  return writer.finish();
}

/** `AddUserOperation`: user = 1 with email = 2, account = 3. */
export function encodeAddUser(email: string, account: TypedMessage): Uint8Array {
  const user = writeBytes(writeText(Writer.create(), 2, email), 3, encodeTyped(account)).finish();
  return writeBytes(Writer.create(), 1, user).finish();
}

/** `AlterInboundRequest`: tag = 1, operation = 2. */
export function encodeAlterInbound(tag: string, operation: TypedMessage): Uint8Array {
  return writeBytes(writeText(Writer.create(), 1, tag), 2, encodeTyped(operation)).finish();
}

/** `TypedMessage`: type = 1, value = 2. */
function encodeTyped({ type, bytes }: TypedMessage): Uint8Array {
  return writeBytes(writeText(Writer.create(), 1, type), 2, bytes).finish();
}

function writeText(writer: Writer, field: number, text: string): Writer {
  return writer.uint32((field << 3) | LENGTH_DELIMITED).string(text);
}

function writeBytes(writer: Writer, field: number, bytes: Uint8Array): Writer {
  return writer.uint32((field << 3) | LENGTH_DELIMITED).bytes(bytes);
}

/** `SysStatsResponse`: Uptime = 10, in whole seconds. */
export function decodeUptime(bytes: Uint8Array): number {
  let uptime = 0;
  decode(bytes, (field, reader) => {
    if (field !== 10) return false;
    uptime = reader.uint32();
    return true;
  });
  return uptime;
}

/** The public key (hex) in the account of the first user of a `GetInboundUserResponse`; null: it names no user. */
export function decodePeerKey(bytes: Uint8Array): string | null {
  let key: string | null = null;
  const readInner = (reader: Reader, onField: OnField) => {
    const end = reader.uint32() + reader.pos;
    readFields(reader, end, (field) => onField(field, reader));
    return true;
  };
  decode(bytes, (field, reader) => {
    if (field !== 1 || key !== null) return false;
    key = '';
    // User: account = 3; TypedMessage: value = 2; PeerConfig: public_key = 1.
    return readInner(reader, (inUser) => {
      if (inUser !== 3) return false;
      return readInner(reader, (inAccount) => {
        if (inAccount !== 2) return false;
        return readInner(reader, (inPeer) => {
          if (inPeer !== 1) return false;
          key = reader.string();
          return true;
        });
      });
    });
  });
  return key;
}

/** `QueryStatsResponse`: repeated stat = 1. Calls `onCounter` for each of them; a value above the safe integers becomes the largest one. */
export async function decodeCounters(
  bytes: Uint8Array,
  onCounter: (name: string, value: number) => void,
): Promise<void> {
  const reader = Reader.create(bytes);
  const onField = (field: number) => {
    if (field !== 1) return false;
    readCounter(reader, onCounter);
    return true;
  };
  while (reader.pos < reader.len) {
    requireReadable(() => readFields(reader, reader.len, onField, COUNTERS_A_TURN));
    if (reader.pos < reader.len) await nextTurn();
  }
}

/** `Stat`: name = 1, value = 2. */
function readCounter(reader: Reader, onCounter: (name: string, value: number) => void): void {
  let name = '';
  let value = 0;
  const end = reader.uint32() + reader.pos;
  readFields(reader, end, (field) => {
    if (field === 1) name = reader.string();
    else if (field === 2) value = Number(reader.int64());
    else return false;
    return true;
  });
  if (value < 0) throw new RangeError('a counter below zero');
  onCounter(name, Math.min(value, Number.MAX_SAFE_INTEGER));
}

/** `GetInboundUserResponse`: repeated users = 1 with email = 2. Calls `onUser` with the email of each. */
export function decodeUsers(bytes: Uint8Array, onUser: (email: string) => void): void {
  decode(bytes, (field, reader) => {
    if (field !== 1) return false;
    const end = reader.uint32() + reader.pos;
    readFields(reader, end, (inner) => {
      if (inner !== 2) return false;
      onUser(reader.string());
      return true;
    });
    return true;
  });
}

/** `GetUsersStatsResponse`: repeated users = 1 with email = 1, repeated ips = 2. Calls `onUser` for each user who is connected. */
export function decodeConnected(
  bytes: Uint8Array,
  onUser: (email: string, addresses: readonly ConnectedAddress[]) => void,
): void {
  decode(bytes, (field, reader) => {
    if (field !== 1) return false;
    let email = '';
    const addresses: ConnectedAddress[] = [];
    readFields(reader, reader.uint32() + reader.pos, (inner) => {
      if (inner === 1) email = reader.string();
      else if (inner === 2) addresses.push(readAddress(reader));
      else return false;
      return true;
    });
    onUser(email, addresses);
    return true;
  });
}

/** `GetAllOnlineUsersResponse`: repeated users = 1. */
export function decodeNames(bytes: Uint8Array): readonly string[] {
  const names: string[] = [];
  decode(bytes, (field, reader) => field === 1 && names.push(reader.string()) > 0);
  return names;
}

/** `GetStatsOnlineIpListResponse`: map ips = 2. */
export function decodeAddresses(bytes: Uint8Array): readonly ConnectedAddress[] {
  const addresses: ConnectedAddress[] = [];
  decode(bytes, (field, reader) => field === 2 && addresses.push(readAddress(reader)) > 0);
  return addresses;
}

/** `OnlineIPEntry` and the entry of a map alike: the address = 1, in brackets where it is IPv6; Unix seconds = 2. */
function readAddress(reader: Reader): ConnectedAddress {
  let address = '';
  let openedAt = 0;
  readFields(reader, reader.uint32() + reader.pos, (field) => {
    if (field === 1) address = reader.string();
    else if (field === 2) openedAt = Number(reader.int64());
    else return false;
    return true;
  });
  return { address: address.replace(/^\[(.*)\]$/, '$1'), openedAt };
}

/** Reads a field and returns true; returns false for a field to skip. */
type OnField = (field: number, reader: Reader) => boolean;

function decode(bytes: Uint8Array, onField: OnField): void {
  const reader = Reader.create(bytes);
  requireReadable(() => readFields(reader, reader.len, onField));
}

function readFields(reader: Reader, end: number, onField: OnField, most = Number.POSITIVE_INFINITY): void {
  for (let count = 0; reader.pos < end && count < most; count += 1) {
    const tag = reader.uint32();
    if (!onField(tag >>> 3, reader)) reader.skipType(tag & 7);
  }
  if (reader.pos > end && end !== reader.len) throw new RangeError('a field beyond its message');
}

/** Throws EngineError if the bytes cannot be parsed: then no engine sent them. */
function requireReadable(work: () => void): void {
  try {
    work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new EngineError('engine_refused', `The reply is not that of an engine: ${message}`);
  }
}
