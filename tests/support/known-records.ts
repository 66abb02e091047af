// Has random requests name records that are there: random ids hardly ever do.

/** Records of a panel. */
export interface KnownRecords {
  /** By the first segment of their paths. */
  readonly ids: Readonly<Record<string, readonly number[]>>;
  /** The user and the grant. */
  readonly grants: readonly (readonly [number, number])[];
  /** The token of a user's link. */
  getToken(userId: number): string;
}

interface Place {
  /** Of the table, or null for a path that is in none. */
  readonly template: string | null;
  /** One for each parameter of the template: a number chooses among the records that are there, a text stands as it is. */
  readonly ids: readonly (number | string)[];
  /** The path where there is no template. */
  readonly path: string;
}

export function fillPath({ template, ids, path }: Place, known: KnownRecords): string {
  if (template === null) return path;
  const [, first = ''] = template.split('/');
  const [chosen] = ids;
  const { grants } = known;
  const grant = typeof chosen === 'number' ? grants[chosen % Math.max(1, grants.length)] : undefined;
  let index = 0;
  return template.replaceAll(/\{\w+\}/g, () => {
    const id = ids[index] ?? 0;
    index += 1;
    if (typeof id === 'string') return id;
    if (template.endsWith('{grant_id}') && grant) return String(grant[index - 1]);
    const present = known.ids[first] ?? [];
    return String(present[id % Math.max(1, present.length)] ?? 1);
  });
}

/** A body whose references lead somewhere. `port`: of a new connection, whose tag follows from it. */
export function fillBody(body: string, { ids, getToken }: KnownRecords, port: number): string {
  const { tariffs = [], inbounds = [], nodes = [], users = [] } = ids;
  return body
    .replaceAll(/"node_id":\d+/g, `"node_id":${nodes[port % Math.max(1, nodes.length)] ?? 1}`)
    .replaceAll('"tag":"vless-reality"', `"tag":"aware-${port}"`)
    .replaceAll('"port":443', `"port":${port}`)
    .replaceAll(/"tariff_id":\d+/g, `"tariff_id":${tariffs[0] ?? 1}`)
    .replaceAll(/"inbounds":\[[\d,]+\]/g, `"inbounds":[${inbounds.slice(0, 2)}]`)
    .replaceAll(/"link":"(?:[^"\\]|\\.)*"/g, `"link":"${getToken(users[0] ?? 0)}"`);
}
