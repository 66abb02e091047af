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
  /** Credentials that replace those above on single inbounds, such as those of users from another panel. Left out: none. */
  readonly byInbound?: readonly InboundCredential[];
}

/** A user's credential on one inbound. */
export interface InboundCredential {
  readonly inboundId: number;
  /** Of the same family as the inbound's protocol. */
  readonly value: string;
  /** With VLESS: the flow of this user; empty: none. null: the inbound's flow. */
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
