// Limits the memory of incomplete request bodies, so that many stalled uploads cost no more than one.

/** Maximum bytes of all incomplete bodies. */
const MAX_BYTES = 33_554_432;
/** Overhead of a chunk, since a body may arrive in very small ones. */
const CHUNK_BYTES = 256;

export interface HeldBody {
  /** Counts a chunk; this body may be aborted for it. */
  add(bytes: number): void;
  /** The body is complete or was dropped. */
  readonly release: () => void;
}

export interface HeldBodies {
  /** Registers a body; `abortBody` is called when it must be dropped. */
  open(abortBody: () => void): HeldBody;
  /** Bytes of all incomplete bodies. */
  bytes(): number;
}

/** The oldest body is aborted first: bodies of working clients are complete long before. */
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

/** Shared by all servers of this process. */
export const heldBodies = createHeldBodies();
