// Parses foreign JSON that is large on another thread than the one that answers.

/** `bytes` were counted (domain/foreign-json.ts). Rejects with JsonRefusal where they are not JSON. */
export type ParseLargeJson = (bytes: Uint8Array) => Promise<unknown>;
