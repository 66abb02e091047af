// The suggested node on the panel's own machine: an inbound that its engine serves, on a free port.
import type { TargetFinding } from '../../contract/inbounds.ts';
import type { Input, Output } from '../../contract/table.ts';
import { missingFacts, NO_PARTS } from '../../domain/nodes/engine-facts.ts';
import { sharedTransports } from '../../domain/nodes/inbound-shape.ts';
import { REALITY_PORT, selectFindings } from '../../domain/nodes/inbound-warnings.ts';
import { nextPort, type Taken } from '../../domain/nodes/usual-ports.ts';
import type { AsyncContext, Env, Handlers } from '../kernel/context.ts';
import type { Result } from '../ports/call.ts';

type Connection = NonNullable<Output<'suggestLocalNode'>['connection']>;
type Shape = Pick<Connection, 'protocol' | 'network' | 'security' | 'flow'>;

/** Best first; the first one that the engine serves is used. */
const RECOMMENDED: readonly Shape[] = [
  { protocol: 'vless', network: 'tcp', security: 'reality', flow: 'xtls-rprx-vision' },
  { protocol: 'trojan', network: 'tcp', security: 'tls', flow: null },
];

/** Popular sites on their own servers, or on a CDN that does not proxy other sites. */
const SITES = ['www.nvidia.com', 'www.samsung.com', 'addons.mozilla.org', 'dl.google.com'] as const;

const PORTS_TRIED = 20;

async function suggestLocalNode(
  { check_target: checksTarget }: Input<'suggestLocalNode'>,
  { env }: AsyncContext<'suggestLocalNode'>,
): Promise<Result<Output<'suggestLocalNode'>>> {
  const { localMachine } = env;
  const engine = (await localMachine?.engine()) ?? null;
  const address = new URL(env.subUrl('')).hostname;
  const body = { engine, address, connection: null };
  const shape = engine && RECOMMENDED.find((one) => missingFacts({ ...NO_PARTS, ...one }, engine).length === 0);
  if (!shape) return { body };
  const [port, site] = await Promise.all([
    freePort(env, shape),
    shape.security === 'reality' ? suggestSite(env, checksTarget) : { sni: null, sni_findings: null },
  ]);
  return { body: port === null ? body : { ...body, connection: { ...shape, port, ...site } } };
}

/** A port without an inbound of a local node and without a listening program; null: none of the candidates. */
async function freePort(
  { store, localMachine }: Pick<Env, 'localMachine' | 'store'>,
  { protocol }: Shape,
): Promise<number | null> {
  const local = store.nodes.page(store.nodes.count(), 0).filter(({ kind }) => kind === 'local');
  const taken: Taken = new Set(
    local.flatMap(({ id }) =>
      store.inbounds
        .page({ nodeId: id }, store.inbounds.count({ nodeId: id }), 0)
        .filter((other) => sharedTransports(other.protocol, protocol).length > 0)
        .map(({ port }) => port),
    ),
  );
  const excluded = new Set(taken);
  for (let count = 0; count < PORTS_TRIED; count += 1) {
    const port = nextPort(excluded);
    if (await localMachine?.isFree(port)) return port;
    excluded.add(port);
  }
  return null;
}

/** The first site without findings; if none, the first one. */
async function suggestSite(
  { targetProbe }: Pick<Env, 'targetProbe'>,
  checksTarget: boolean,
): Promise<Pick<Connection, 'sni' | 'sni_findings'>> {
  if (!checksTarget || !targetProbe) return { sni: SITES[0], sni_findings: null };
  const checkedSites = await Promise.all(
    SITES.map(async (sni): Promise<{ sni: string; sni_findings: TargetFinding[] | null }> => {
      const findings = await targetProbe.probeTarget({ host: sni, port: REALITY_PORT, name: sni });
      return { sni, sni_findings: findings && selectFindings(findings, null) };
    }),
  );
  return (
    checkedSites.find(({ sni_findings: found }) => found?.length === 0) ??
    checkedSites[0] ?? { sni: SITES[0], sni_findings: null }
  );
}

export const SUGGESTION_HANDLERS = {
  suggestLocalNode: { run: suggestLocalNode },
} satisfies Handlers<'suggestLocalNode'>;
