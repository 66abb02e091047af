// The port that a new connection begins with.

/** Ports that are taken. */
export type Taken = ReadonlySet<number>;

/** Ports for TLS that networks rarely block, the usual one first. */
const USUAL_PORTS = [443, 8443, 2053, 2083, 2087, 2096];
const FIRST_OTHER_PORT = 10_000;

/** The first usual port that is not taken; where all are, any other. */
export function nextPort(taken: Taken): number {
  const usual = USUAL_PORTS.find((port) => !taken.has(port));
  if (usual !== undefined) return usual;
  let port = FIRST_OTHER_PORT;
  while (taken.has(port)) port += 1;
  return port;
}
