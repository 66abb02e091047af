// Inbounds of Xray's configuration, as panels store it, in the neutral form.
import type { DocumentInbound } from '../../contract/imports/document.ts';
import type { LeftOut } from './source-document.ts';
import { cleanText, type Json, toInteger, toObject, toText } from './values.ts';
import { mapXrayInbound } from './xray-inbound.ts';

const VISION = 'xtls-rprx-vision';

/** What panels add to the configuration. */
export interface XrayDefaults {
  /** The cipher of Shadowsocks where the inbound names none. */
  readonly method: string;
  /** The flow of users on a VLESS inbound over TCP with TLS or REALITY. */
  flowOf(entry: Json): string;
}

interface XrayInbounds {
  readonly inbounds: readonly DocumentInbound[];
  readonly leftOut: readonly LeftOut[];
}

/** An inbound is known by its tag; a second one of the same tag is skipped. */
export function mapXrayConfig(entries: readonly unknown[], { method, flowOf }: XrayDefaults): XrayInbounds {
  const inbounds: DocumentInbound[] = [];
  const leftOut: LeftOut[] = [];
  const tags = new Set<string>();
  const seen = new Set<string>();
  for (const entry of entries.map(toObject)) {
    const tag = toText(entry.tag);
    const id = cleanText(tag, 300) || '-';
    if (seen.has(id)) continue;
    seen.add(id);
    const mapped = mapXrayInbound(
      {
        id,
        tag,
        name: tag,
        listen: toText(entry.listen),
        port: toInteger(entry.port),
        protocol: toText(entry.protocol),
        settings: toObject(entry.settings),
        stream: toObject(entry.streamSettings),
        enabled: true,
        method,
      },
      tags,
    );
    if ('reason' in mapped) leftOut.push({ kind: 'inbound', id, name: tag, reason: mapped.reason });
    else {
      const hasFlow = canHaveFlow(mapped.inbound) && flowOf(entry).startsWith(VISION);
      inbounds.push(hasFlow ? { ...mapped.inbound, flow: VISION } : mapped.inbound);
    }
  }
  return { inbounds, leftOut };
}

export function canHaveFlow({ protocol, network, security }: DocumentInbound): boolean {
  return protocol === 'vless' && network === 'tcp' && security !== 'none';
}

/** The text that occurs most; empty if there is none. */
export function findMost(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}
