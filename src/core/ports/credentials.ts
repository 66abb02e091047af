// Credentials of users, and secrets of inbounds that apps need.

/** One credential for each family of protocols. */
export interface Credentials {
  /** vless and vmess. */
  readonly uuid: string;
  /** trojan, shadowsocks before 2022, hysteria2. */
  readonly password: string;
  /** shadowsocks 2022: 32 bytes in base64; ciphers with 16-byte keys use the first 16. */
  readonly key: string;
  /** wireguard: the private key, 32 bytes in base64, for the app; the node gets the public key. */
  readonly wireguard: string;
  /** Those that replace the ones above on one inbound, as of users of another panel. Omitted: there are none. */
  readonly byInbound?: readonly InboundCredential[];
}

/** What a user presents on one inbound alone. */
export interface InboundCredential {
  readonly inboundId: number;
  /** In the family of the protocol of the inbound. */
  readonly value: string;
  /** With VLESS: the flow of this user; empty: none. Null: that of the inbound. */
  readonly flow: string | null;
}

/** For blocked users, who are removed without credentials. */
export const NO_CREDENTIALS: Credentials = { uuid: '', password: '', key: '', wireguard: '' };

/** Secrets of an inbound that a user's app needs. */
export interface InboundSecrets {
  /** For Shadowsocks 2022, in the cipher's length. Null also if the vault is locked: then no user can connect. */
  readonly serverKey: string | null;
  /** PEM of a self-signed certificate. */
  readonly certificate: string | null;
  /** SHA-256 of a self-signed certificate, lower-case hex. */
  readonly pin: string | null;
}
