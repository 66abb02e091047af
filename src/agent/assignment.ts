// The configuration and users that the panel assigned to this machine's engine; also known after a restart of the machine.
import type { EngineChange, EngineConfig, EngineInbound, EngineUser } from '../core/ports/engines.ts';
import type { LeaseMember, NodeLease, StartedEngine } from './ports/lease.ts';

export type Member = EngineUser & { readonly inbounds: readonly number[] };

/** The inbounds of an engine that a user is allowed on. */
export function inboundsFor(
  { inbounds, leftOut }: Pick<LeaseMember, 'inbounds' | 'leftOut'>,
  config: EngineConfig,
): readonly EngineInbound[] {
  return config.inbounds.filter(({ id }) => (inbounds === null || inbounds.includes(id)) && !leftOut.includes(id));
}

/** The configuration that the engine serves: without the inbounds that were left out. */
export function withoutLeftOut({ config, leftOut }: Pick<StartedEngine, 'config' | 'leftOut'>): EngineConfig {
  return { ...config, inbounds: config.inbounds.filter(({ id }) => !leftOut.includes(id)) };
}

export interface EngineAssignment {
  /** The configuration that the panel wants. */
  readonly config: EngineConfig;
  /** Ids of inbounds that are left out because the engine does not serve them now. */
  readonly leftOut: readonly number[];
  /** Users that the panel has sent to this process, by id. */
  readonly users: Map<number, Member>;
  readonly boot: string;
}

export interface Assignment {
  /** null: the panel has assigned nothing yet, or has stopped the engine. */
  present(): EngineAssignment | null;
  save(next: EngineAssignment): void;
  /** Forgets the assignment: the panel has stopped the engine. */
  drop(): void;
  /** Frees the memory of the assignment when this process no longer needs it. */
  release(): void;
  /** Users who may connect: by the lease, or, while there is no complete one, by what the panel has sent to this process. */
  allowedUsers(assigned: EngineAssignment): readonly Member[];
  recordChange(change: EngineChange): void;
}

export function openAssignment(lease: NodeLease): Assignment {
  let held = load();

  /** The assignment of an earlier process. It has no users of its own: the lease has them. */
  function load(): EngineAssignment | null {
    const before = isWhole() ? lease.engine() : null;
    return before && { ...before, users: new Map() };
  }

  function isWhole(): boolean {
    return (lease.held()?.at ?? null) !== null;
  }

  function allowedUsers({ config, users }: EngineAssignment): readonly Member[] {
    if (!isWhole()) return [...users.values()];
    return lease.members().map((member) => ({ ...member, inbounds: inboundsFor(member, config).map(({ id }) => id) }));
  }

  function recordChange({ inbound, user, isAllowed }: EngineChange): void {
    const before = held?.users.get(user.userId);
    const others = before?.inbounds.filter((id) => id !== inbound.id) ?? [];
    const inbounds = isAllowed ? [...others, inbound.id] : others;
    if (inbounds.length === 0) held?.users.delete(user.userId);
    else held?.users.set(user.userId, { ...(isAllowed ? user : (before ?? user)), inbounds });
  }

  return {
    present: () => held,
    save(next) {
      const { config, leftOut, boot } = next;
      held = next;
      lease.saveEngine({ config, leftOut, boot });
    },
    drop() {
      held = null;
      lease.saveEngine(null);
    },
    release() {
      held = null;
    },
    allowedUsers,
    recordChange,
  };
}
