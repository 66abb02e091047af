// What the parts of XHTTP's `extra` are for: the engine, clients, or both, which then have to agree.
import type { XhttpExtra, XhttpMode } from '../../contract/xhttp.ts';

/** Where what is sent stands in requests: both sides need the same, and Xray before 26.1.31 and mihomo 1.19.23 do not know it. */
const OBFUSCATION = [
  'xPaddingObfsMode',
  'xPaddingKey',
  'xPaddingHeader',
  'xPaddingPlacement',
  'xPaddingMethod',
  'uplinkHTTPMethod',
  'sessionIDPlacement',
  'sessionIDKey',
  'seqPlacement',
  'seqKey',
  'uplinkDataPlacement',
  'uplinkDataKey',
] as const satisfies readonly (keyof XhttpExtra)[];

const SERVER_ONLY: readonly string[] = [
  'noSSEHeader',
  'scMaxBufferedPosts',
  'scStreamUpServerSecs',
  'serverMaxHeaderBytes',
] satisfies readonly (keyof XhttpExtra)[];

export function isObfuscated(extra: XhttpExtra | null): boolean {
  return extra !== null && OBFUSCATION.some((member) => extra[member] !== undefined);
}

/** Whether the mode allows what `extra` says: Xray refuses such a configuration as a whole. */
export function fitsMode({ uplinkHTTPMethod, uplinkDataPlacement }: XhttpExtra, mode: XhttpMode | null): boolean {
  const needsPackets =
    uplinkHTTPMethod === 'GET' || uplinkDataPlacement === 'cookie' || uplinkDataPlacement === 'header';
  return !needsPackets || mode === 'packet-up';
}

/** As Xray reads it: before 26.6.22 two members had other names. */
export function withFormerNames(extra: XhttpExtra): XhttpExtra & { sessionPlacement?: string; sessionKey?: string } {
  const { sessionIDPlacement: sessionPlacement, sessionIDKey: sessionKey } = extra;
  return {
    ...extra,
    ...(sessionPlacement !== undefined && { sessionPlacement }),
    ...(sessionKey !== undefined && { sessionKey }),
  };
}

/** Without what is for the engine alone; null: nothing is left. */
export function selectClientExtra(extra: XhttpExtra | null): XhttpExtra | null {
  const members = Object.entries(extra ?? {}).filter(([name]) => !SERVER_ONLY.includes(name));
  return members.length === 0 ? null : Object.fromEntries(members);
}
