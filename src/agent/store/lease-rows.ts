// Decodes rows of the lease. The part that all users share is unsealed once, the secrets of a user only when they are needed.

import type { LeaseShared, LeaseUser } from '../../core/ports/lease.ts';
import { findLeaseRefusal, type Leased, nodesCounter, shareAmong } from '../../domain/nodes/lease.ts';
import { PLAIN_WEIGHT } from '../../domain/nodes/weight.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { LeaseMember } from '../ports/lease.ts';
import type { LeaseStatements, Row } from './lease-statements.ts';

/** Seals texts that only this machine may read. `open` throws for texts that another key has sealed. */
export interface TextSeal {
  seal(text: string): Uint8Array;
  open(sealed: Uint8Array): string;
}

export type Secrets = Pick<LeaseUser, 'name' | 'credentials' | 'deviceLimit' | 'tariffId' | 'tags'>;

/** Value of the column `allowed`: 1 if the user may connect, otherwise 0. */
export function isAllowed(leased: Leased, now: number): number {
  return Number(findLeaseRefusal(leased, now) === null);
}

export interface LeaseRows {
  shared(): LeaseShared | null;
  /** Replaces the shared part; undefined: it is read again when needed. */
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
  /** Inbounds may have changed since the row was written: the panel then sends only the inbounds, not all users. */
  function decode(row: Row, now: number): Leased {
    countNodes ??= nodesCounter(shared()?.connections.map(({ inbound: { id, nodeId } }) => ({ id, nodeId })) ?? []);
    return shareAmong(parseOwnJson(row.leased) as Leased, countNodes(parseInbounds(row)), now);
  }
  const openSecrets = ({ secrets }: Row) => parseOwnJson(seal.open(secrets)) as Secrets;

  function toLeaseUser(row: Row, leased: Leased): LeaseUser {
    const { name, credentials, deviceLimit, tariffId, tags } = openSecrets(row);
    return {
      id: row.userId,
      name,
      credentials,
      inbounds: parseInbounds(row),
      leftOut: parseOwnJson(row.leftOut) as number[],
      tokenHash: row.tokenHash,
      deviceLimit,
      tariffId,
      tags,
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
