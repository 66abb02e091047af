// Parses large foreign JSON on another thread.

/** `bytes` have been counted (domain/foreign-json.ts). Rejects with JsonRefusal if they are not JSON. */
export type ParseLargeJson = (bytes: Uint8Array) => Promise<unknown>;
