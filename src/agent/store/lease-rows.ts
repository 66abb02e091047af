// Rows of the lease as what they mean: what all users share is opened once, secrets of a user where they are needed.

import type { LeaseShared, LeaseUser } from '../../core/ports/lease.ts';
import { findLeaseRefusal, type Leased, nodesCounter, shareAmong } from '../../domain/nodes/lease.ts';
import { PLAIN_WEIGHT } from '../../domain/nodes/weight.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { LeaseMember } from '../ports/lease.ts';
import type { LeaseStatements, Row } from './lease-statements.ts';

/** Seals what only the machine may read. `open` throws for what another key has sealed. */
export interface TextSeal {
  seal(text: string): Uint8Array;
  open(sealed: Uint8Array): string;
}

export type Secrets = Pick<LeaseUser, 'name' | 'credentials' | 'deviceLimit'>;

/** Whether a user may connect, as the table has it. */
export function isAllowed(leased: Leased, now: number): number {
  return Number(findLeaseRefusal(leased, now) === null);
}

export interface LeaseRows {
  shared(): LeaseShared | null;
  /** Replaces what all users share; undefined: it is read again. */
  setShared(next: LeaseShared | undefined): void;
  weight(): number;
  zone(): string;
  decode(row: Row, now: number): Leased;
  toLeaseUser(row: Row, leased: Leased): LeaseUser;
  toLeaseMember(row: Row): LeaseMember;
}

export function createLeaseRows(statements: Pick<LeaseStatements, 'lease'>, seal: TextSeal): LeaseRows {
  let present: LeaseShared | null | undefined;
  let countNodes: ReturnType<typeof nodesCounter> | null = null;

  function shared(): LeaseShared | null {
    if (present === undefined) {
      const sealed = statements.lease.get()?.shared ?? null;
      present = sealed === null ? null : (parseOwnJson(seal.open(sealed)) as LeaseShared);
    }
    return present;
  }

  const parseInbounds = ({ inbounds }: Row) => (inbounds === null ? null : (parseOwnJson(inbounds) as number[]));
  /** Inbounds may have come or gone since it was written: the panel sends those alone, and not all users once more. */
  function decode(row: Row, now: number): Leased {
    countNodes ??= nodesCounter(shared()?.connections.map(({ inbound: { id, nodeId } }) => ({ id, nodeId })) ?? []);
    return shareAmong(parseOwnJson(row.leased) as Leased, countNodes(parseInbounds(row)), now);
  }
  const openSecrets = ({ secrets }: Row) => parseOwnJson(seal.open(secrets)) as Secrets;

  function toLeaseUser(row: Row, leased: Leased): LeaseUser {
    const { name, credentials, deviceLimit } = openSecrets(row);
    return {
      id: row.userId,
      name,
      credentials,
      inbounds: parseInbounds(row),
      leftOut: parseOwnJson(row.leftOut) as number[],
      tokenHash: row.tokenHash,
      deviceLimit,
      leased,
      updatedAt: row.updatedAt,
    };
  }

  function toLeaseMember(row: Row): LeaseMember {
    const { credentials } = openSecrets(row);
    const leftOut = parseOwnJson(row.leftOut) as number[];
    return {
      userId: row.userId,
      credentials,
      inbounds: parseInbounds(row),
      leftOut,
      isAllowed: row.allowed > row.removed,
    };
  }

  return {
    shared,
    setShared(next) {
      present = next;
      countNodes = null;
    },
    weight: () => shared()?.weight ?? PLAIN_WEIGHT,
    zone: () => shared()?.settings.timeZone ?? 'UTC',
    decode,
    toLeaseUser,
    toLeaseMember,
  };
}
