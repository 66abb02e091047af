// The suggested port of a new connection.

/** Ports in use. */
export type Taken = ReadonlySet<number>;

/** Ports for TLS that networks rarely block, most usual first. */
const USUAL_PORTS = [443, 8443, 2053, 2083, 2087, 2096];
const FIRST_OTHER_PORT = 10_000;

/** The first usual port that is free, else any other free one. */
export function nextPort(taken: Taken): number {
  const usual = USUAL_PORTS.find((port) => !taken.has(port));
  if (usual !== undefined) return usual;
  let port = FIRST_OTHER_PORT;
  while (taken.has(port)) port += 1;
  return port;
}
