// Bodies that have not arrived whole: what they hold together is bounded, so that many that never end cost no more memory than one.

/** What bodies that still arrive may hold together. */
const MAX_BYTES = 33_554_432;
/** What a chunk costs besides its bytes: a body may come in very small ones. */
const CHUNK_BYTES = 256;

export interface HeldBody {
  /** Counts a chunk; it may be this body that is given up for it. */
  add(bytes: number): void;
  /** It is held no longer. */
  readonly release: () => void;
}

export interface HeldBodies {
  /** A body begins; `abortBody` is called where it has to go for others. */
  open(abortBody: () => void): HeldBody;
  /** What all hold at the moment. */
  bytes(): number;
}

/** The one that began first goes first: a body of a client that works has arrived long before. */
export function createHeldBodies(maxBytes = MAX_BYTES): HeldBodies {
  const held = new Map<object, { bytes: number; readonly abortBody: () => void }>();
  let sum = 0;

  const release = (id: object) => {
    sum -= held.get(id)?.bytes ?? 0;
    held.delete(id);
  };
  const makeRoom = () => {
    for (const [id, { abortBody }] of held) {
      if (sum <= maxBytes) return;
      release(id);
      abortBody();
    }
  };

  return {
    open(abortBody) {
      const id = {};
      held.set(id, { bytes: 0, abortBody });
      return {
        add(bytes) {
          const body = held.get(id);
          if (!body) return;
          body.bytes += bytes + CHUNK_BYTES;
          sum += bytes + CHUNK_BYTES;
          makeRoom();
        },
        release: () => release(id),
      };
    },
    bytes: () => sum,
  };
}

/** Of this process, whatever its servers are. */
export const heldBodies = createHeldBodies();
