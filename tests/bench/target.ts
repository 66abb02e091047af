// What load is put on: an address and the requests that go there, in turn.

export interface Target {
  /** `http://127.0.0.1:1234`; its certificate is not judged. */
  readonly origin: string;
  readonly method: 'GET' | 'POST';
  /** Paths with their queries, asked for in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Amount {
  readonly connections: number;
  /** Either so long... */
  readonly ms?: number;
  /** ...or so many requests. */
  readonly requests?: number;
}

export interface Load {
  readonly requests: number;
  /** How long it took. */
  readonly ms: number;
  /** Latency, ms. */
  readonly p50: number;
  readonly p99: number;
}

/** One request and its reply's body, to see that both sides answer alike. Throws for what is not 2xx. */
export async function fetchText({ origin, method, paths, headers, body }: Target): Promise<string> {
  const answer = await fetch(origin + paths[0], { method, headers, ...(body !== undefined && { body }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${paths[0]}: ${answer.status} ${text.slice(0, 500)}`);
  return text;
}

/** Throws unless both answer the first requests with the same bytes. */
export async function requireSame(ours: Target, other: Target, count = 20): Promise<void> {
  for (let index = 0; index < Math.min(count, ours.paths.length); index += 1) {
    const of = (target: Target) => fetchText({ ...target, paths: target.paths.slice(index) });
    const [one, two] = [await of(ours), await of(other)];
    if (one === two) continue;
    const at = [...one].findIndex((char, place) => char !== two[place]);
    throw new Error(`not the same bytes: ${[one, two].map((text) => text.slice(at - 40, at + 80)).join(' and ')}`);
  }
}
