// What users present to connect, and what their apps must know for it.

/** What a user presents to connect, one value for each family of protocols. */
export interface Credentials {
  /** vless and vmess. */
  readonly uuid: string;
  /** trojan, shadowsocks before 2022, hysteria2. */
  readonly password: string;
  /** shadowsocks 2022: 32 bytes in base64, of which a cipher with keys of 16 bytes takes the first 16. */
  readonly key: string;
  /** wireguard: the private key, 32 bytes in base64, which an app needs; the node is told the public one, which follows from it. */
  readonly wireguard: string;
}

/** Of a user who may not connect: nothing is presented for one who is removed. */
export const NO_CREDENTIALS: Credentials = { uuid: '', password: '', key: '', wireguard: '' };

/** What a user's app must know of an inbound besides its settings. */
export interface InboundSecrets {
  /** With Shadowsocks 2022, as long as the cipher takes it. Null also where the vault is locked: then no user can connect. */
  readonly serverKey: string | null;
  /** PEM of a self-signed certificate. */
  readonly certificate: string | null;
  /** SHA-256 of a self-signed certificate, lower-case hex. */
  readonly pin: string | null;
}
