// What the exit of an engine means, by its exit code and the end of its output.
import { splitVlessEncryption } from '../contract/vless-encryption.ts';
import { type EngineConfig, EngineError } from '../core/ports/engines.ts';
import { listTransports } from '../domain/nodes/inbound-shape.ts';
import { describePort } from '../domain/nodes/servable.ts';

/** Characters of an engine's output that are shown. */
const WORDS_LENGTH = 600;
/** Exit code of both engines for a refused configuration. */
const CONFIG_REFUSED = 23;
const START_FAILED = 255;

/** The error of an exit: both engines exit with 23 if they refuse the configuration, and with 255 if they cannot start with it. */
export function classifyExit(
  { inbounds }: EngineConfig,
  code: number | null,
  signal: NodeJS.Signals | null,
  output: string,
): EngineError {
  const message = extractMessage(output);
  if (code === CONFIG_REFUSED) return new EngineError('config_refused', message);
  // Go's message: `listen tcp 0.0.0.0:443: bind: address already in use`.
  const [, network, port, reason = ''] = /listen (tcp|udp)\S* \S*:(\d+): bind: ([^\n]*)/.exec(output) ?? [];
  if (code === START_FAILED && port !== undefined) {
    const isTaken = /address already in use|Only one usage/i.test(reason);
    const inbound = inbounds.find(
      (one) =>
        one.sharesPortOf === null &&
        one.port === Number(port) &&
        listTransports(one.protocol).some((transport) => transport === network),
    );
    const text = inbound ? `${describePort(inbound)}: ${reason}` : message;
    return new EngineError(isTaken ? 'port_taken' : 'config_refused', text);
  }
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  return new EngineError('engine_crashed', `it ended ${how}: ${message}`);
}

/** The end of the output: the first lines are the engine's name and version. */
export function extractMessage(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(Xray|V2Ray) \d|^A unified platform|^(\S+ )?\S* ?\[Info\]/.test(line));
  return lines.slice(-3).join(' / ').slice(-WORDS_LENGTH) || 'it said nothing';
}

/** Removes secrets from the output: engines repeat a key that they refuse. */
export function redact({ inbounds }: EngineConfig, output: string): string {
  const secrets = inbounds.flatMap(({ privateKey, serverKey, certificateKey, decryption, mldsa65Seed }) => [
    privateKey,
    serverKey,
    mldsa65Seed,
    ...(decryption === null ? [] : splitVlessEncryption(decryption).keys),
    ...(certificateKey?.split('\n').filter((line) => line.length > 20) ?? []),
  ]);
  let text = output;
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '***');
  return text;
}
