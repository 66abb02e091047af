// What the panel has assigned to the engine of this machine: a configuration and users, also after a restart of the machine.
import type { EngineChange, EngineConfig, EngineInbound, EngineUser } from '../core/ports/engines.ts';
import type { LeaseMember, NodeLease, StartedEngine } from './ports/lease.ts';

export type Member = EngineUser & { readonly inbounds: readonly number[] };

/** On which inbounds of an engine a user may be. */
export function inboundsFor(
  { inbounds, leftOut }: Pick<LeaseMember, 'inbounds' | 'leftOut'>,
  config: EngineConfig,
): readonly EngineInbound[] {
  return config.inbounds.filter(({ id }) => (inbounds === null || inbounds.includes(id)) && !leftOut.includes(id));
}

/** What an engine serves. */
export function withoutLeftOut({ config, leftOut }: Pick<StartedEngine, 'config' | 'leftOut'>): EngineConfig {
  return { ...config, inbounds: config.inbounds.filter(({ id }) => !leftOut.includes(id)) };
}

export interface EngineAssignment {
  /** As the panel wants it. */
  readonly config: EngineConfig;
  /** Ids of inbounds that the machine has left out, as its engine does not serve them now. */
  readonly leftOut: readonly number[];
  /** As the panel has told this process. */
  readonly users: Map<number, Member>;
  readonly boot: string;
}

export interface Assignment {
  /** Null: nothing was given, or the panel has stopped the engine. */
  present(): EngineAssignment | null;
  save(next: EngineAssignment): void;
  /** The panel has stopped the engine. */
  drop(): void;
  /** No more of it is needed by this process. */
  release(): void;
  /** Who may connect: by the lease, or, without a whole one, by what the panel has told. */
  allowedUsers(assigned: EngineAssignment): readonly Member[];
  recordChange(change: EngineChange): void;
}

export function openAssignment(lease: NodeLease): Assignment {
  let held = load();

  /** What a process before this one was given; users are those of the lease alone. */
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
