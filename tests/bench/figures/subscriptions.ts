// A subscription link in each format, over twenty connections: what reading, writing and the headers cost beside sending the same bytes.
import { FORMATS } from '../../../src/contract/subscription/formats.ts';
import type { Figure } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, type Ratio, time } from '../rounds.ts';
import { type Server, startBareBeside, startPanel } from '../servers.ts';
import { fetchText, requireSame, type Target } from '../target.ts';

const CONNECTIONS = 20;

/** Makes as many connections as are wanted, of four kinds. */
async function addConnections(panel: Server): Promise<void> {
  const { items } = JSON.parse(await fetchText(panel.target(['/inbounds?limit=500']))) as {
    items: { id: number; node_id: number; enabled: boolean }[];
  };
  const [node_id = 1] = items.map((item) => item.node_id);
  for (let number = items.filter(({ enabled }) => enabled).length; number < CONNECTIONS; number += 1) {
    const common = { node_id, tag: `bench-${number}`, name: `Germany ${number}`, port: 20_000 + number };
    const kinds = [
      { protocol: 'vless', network: 'ws', security: 'tls', path: '/ws', sni: 'de.example' },
      { protocol: 'trojan', network: 'grpc', security: 'tls', service_name: 'grpc', sni: 'de.example' },
      { protocol: 'vmess', network: 'ws', security: 'tls', path: '/ws', sni: 'de.example' },
      { protocol: 'shadowsocks', network: 'tcp', security: 'none', method: 'aes-256-gcm' },
    ];
    await fetchText(panel.target(['/inbounds'], { ...common, ...kinds[number % kinds.length] }));
  }
}

/** The link of a user who may connect by all of them. */
async function findLink(panel: Server): Promise<URL> {
  const { items } = JSON.parse(await fetchText(panel.target(['/users?state=active&limit=500']))) as {
    items: { inbounds: number[] | null; sub_url: string }[];
  };
  const found = items.find(({ inbounds }) => inbounds === null);
  if (!found) throw new Error('no user may connect by all connections');
  return new URL(found.sub_url);
}

export const subscriptions: Figure = {
  name: 'subscriptions',
  async measure({ databases, generator, scale }) {
    const folder = await databases.copy('middle');
    await using panel = await startPanel({ folder, tls: false });
    await addConnections(panel);
    const { pathname } = await findLink(panel);
    const ratios: (Ratio & { format: string })[] = [];
    // A file of WireGuard has one connection.
    for (const format of FORMATS.filter((one) => one !== 'wireguard')) {
      const ours: Target = { ...panel.target([]), headers: {}, paths: [`${pathname}?format=${format}`] };
      await using bare = await startBareBeside(panel, 'bytes', folder, await fetchText(ours));
      const other = bare.target(['/']);
      await requireSame(ours, other);
      const pairs = await pairedRounds(
        { server: panel.child, run: () => generator.flood(ours, scale.seconds) },
        { server: bare.child, run: () => generator.flood(other, scale.seconds) },
        scale.rounds,
      );
      ratios.push({ format, ...computeRatio(pairs, cpu) });
    }
    return ratios.map(({ format, ...ratio }) => ({
      title: `subscription link, ${format}, ${CONNECTIONS} connections, to bare`,
      reach: { least: 0.3 },
      isRatio: true,
      ...ratio,
      detail: `CPU a request: bare ${time(ratio.other)}, panel ${time(ratio.ours)}`,
    }));
  },
};
