// Credentials of other panels in the form that this panel's engines take.
import { createHash } from 'node:crypto';
import { CREDENTIAL_FORMS, type DocumentInbound } from '../../contract/imports/document.ts';
import { credentialFamily } from '../../domain/nodes/inbound-credentials.ts';
import { hasKeys, toStoredKey } from '../../domain/nodes/shadowsocks.ts';
import { toUuid } from './values.ts';

/** The id of a record that the source knows by a credential alone: ids are in reports, credentials are not. */
export function hashId(credential: string): string {
  return createHash('sha256').update(credential).digest('hex').slice(0, 32);
}

/** As the engine of this panel takes it; null: it cannot. */
export function fitSecret(inbound: Pick<DocumentInbound, 'protocol' | 'method'>, text: string): string | null {
  const { protocol, method } = inbound;
  const family = credentialFamily({ protocol, method });
  if (family === 'uuid') return toUuid(text) ?? engineUuid(text);
  if (family === 'key') return method !== null && hasKeys(method) ? toStoredKey(method, text) : null;
  return CREDENTIAL_FORMS[family].safeParse(text).success ? text : null;
}

/** Xray takes any id of up to 30 bytes: a UUID of version 5 over 16 zero bytes and the text. */
function engineUuid(text: string): string | null {
  if (Buffer.byteLength(text) > 30) return null;
  const bytes = createHash('sha1').update(Buffer.alloc(16)).update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return toUuid(bytes.toString('hex'));
}

/** Credentials of whole families, without those that no engine takes. */
export function fitFamilies(given: {
  readonly uuid?: string;
  readonly password?: string;
  readonly wireguard?: string;
}): Partial<Record<'uuid' | 'password' | 'wireguard', string>> {
  const { uuid = '', password = '', wireguard = '' } = given;
  const fitted = {
    uuid: uuid === '' ? null : fitSecret({ protocol: 'vless', method: null }, uuid),
    password: fitSecret({ protocol: 'trojan', method: null }, password),
    wireguard: CREDENTIAL_FORMS.wireguard.safeParse(wireguard).success ? wireguard : null,
  };
  return {
    ...(fitted.uuid !== null && { uuid: fitted.uuid }),
    ...(fitted.password !== null && { password: fitted.password }),
    ...(fitted.wireguard !== null && { wireguard: fitted.wireguard }),
  };
}
