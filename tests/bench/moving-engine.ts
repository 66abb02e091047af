// An engine in this process whose users all move something between two polls, as long as that is wanted.
import type { Engine, EngineCounters, RunningEngine } from '../../src/core/ports/engines.ts';

/** A gigabyte a day over thirty days, then what a film takes in a few seconds. */
const BEFORE = 30_000_000_000;
const A_POLL = 1_000_003;

/** What an engine has counted at its poll number `poll`, of users from 1 on. */
export function movedUsers(users: number, poll: number): EngineCounters['users'] {
  const bytes = (userId: number) => BEFORE + userId * 1009 + poll * (A_POLL + (userId % 13));
  return new Map(
    Array.from({ length: users }, (_, index) => {
      const down = bytes(index + 1);
      return [index + 1, { up: Math.floor(down / 20), down }];
    }),
  );
}

export interface MovingEngine {
  readonly engine: Engine;
  move(isMoving: boolean): void;
}

export function movingEngine(users: number): MovingEngine {
  let isMoving = true;
  let polls = 0;
  let counted: EngineCounters['users'] = new Map();
  let running: RunningEngine | null = null;
  const engine: Engine = {
    running: async () => running,
    fingerprint: () => 'bench',
    check: async () => {},
    start: async (_config, _users, boot) => {
      running = { name: 'xray', version: '26.3.27', boot, fingerprint: 'bench', startedAt: Date.now() };
      return running;
    },
    stop: async () => {
      running = null;
    },
    counters: async () => {
      if (isMoving) {
        polls += 1;
        counted = movedUsers(users, polls);
      }
      return { boot: running?.boot ?? null, users: counted, inbounds: new Map() };
    },
    readLedgerPage: async () => null,
    protocol: () => null,
    machine: () => null,
    apply: async (changes) => changes.map(() => null),
    members: async () => null,
    connected: async () => null,
    log: () => [],
    onExit: () => {},
    close: () => {},
  };
  return {
    engine,
    move: (wanted) => {
      isMoving = wanted;
    },
  };
}
