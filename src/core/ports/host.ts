// The ports of a listening host: addresses, which are tried before they are used, and the certificates served there.

import type { FieldErrorCode } from '../../contract/errors.ts';
import type { REACH_OUTCOMES } from '../../contract/settings/addresses.ts';
import type { CERTIFICATE_TARGETS, Certificate } from '../../contract/settings/certificates.ts';
import type { Span } from '../../domain/acme-schedule.ts';
import type { AcmeClient, IssuedByAcme } from './acme.ts';
import type { SettingValues } from './settings.ts';

/** An address and a port to listen on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The sockets of the panel. A new address is tried before it is used, so that the administrator is never locked out. */
export interface Listeners {
  /** The listening address, which may be an option of this run; null before the start. */
  place(): ListenAddress | null;
  /**
   * Also listens on another address; if it has the same port, instead of the present one. PanelError `address_in_use` if that fails; then
   * nothing has changed.
   */
  tryAt(address: ListenAddress): Promise<void>;
  /** Ends a trial: the panel uses the new address. The former one closes once its replies are finished. */
  acceptTrial(): Promise<void>;
  /** Ends a trial and returns to the former address. Does nothing without a trial. */
  cancelTrial(): Promise<void>;
  /** Moves, opens or (null) closes the listener that serves links only. PanelError `address_in_use`. */
  serveLinksAt(address: ListenAddress | null): Promise<void>;
}

export type CertificateTarget = (typeof CERTIFICATE_TARGETS)[number];

/** Why an imported certificate is refused. */
export interface ImportFailure {
  readonly member: 'certificate' | 'private_key';
  readonly code: FieldErrorCode;
  readonly message: string;
}

/** The panel's own authority. */
export interface LocalAuthority {
  /** SHA-256, as browsers show it. */
  readonly fingerprint: string;
  readonly validity: Span;
  /** PEM. */
  readonly pem: string;
}

/** The served certificates. Each change swaps them without dropping a connection. */
export interface Certificates {
  /** The served certificates; the one for links only if that listener has a separate certificate. */
  served(): readonly Certificate[];
  authority(): LocalAuthority;
  /** Sets the local authority aside, makes a new one, and serves leaves of it at once. */
  replaceAuthority(): Promise<void>;
  /** Checks chain, key and dates, and serves the certificate; a refused one changes nothing. */
  import(target: CertificateTarget, chainPem: string, keyPem: string): Promise<Certificate | readonly ImportFailure[]>;
  /** Makes a new leaf of the local authority, which also replaces an imported certificate. */
  renew(target: CertificateTarget): Promise<Certificate>;
  /** Why the certificate could not be served; empty: it could. */
  validateIssued(issued: IssuedByAcme): readonly ImportFailure[];
  /** Stores the certificate by ACME, serves it at these targets instead of imported ones, and returns its validity. */
  install(issued: IssuedByAcme, targets: readonly CertificateTarget[]): Span;
  /** The chain of the certificate by ACME, PEM; null: there is none. */
  issuedChain(): string | null;
  /** Changes the targets that serve the certificate by ACME; there it replaces imported ones. */
  followAcme(targets: readonly CertificateTarget[]): void;
  /** Removes the certificate by ACME. */
  dropIssued(): void;
  /** Applies changed host names to certificates of the local authority, and changed targets of the certificate by ACME after a restore. */
  follow(settings: SettingValues): Promise<void>;
}

export type ReachOutcome = (typeof REACH_OUTCOMES)[number];

/** Addresses at which this machine's own networks reach the panel. */
export interface Network {
  /** The origin of base_url, then those of the machine's other addresses, if all are listened on. */
  origins(): readonly string[];
  /** Connects to an origin, for at most three seconds. */
  connect(origin: string): Promise<ReachOutcome>;
}

export interface HostPorts {
  readonly listeners: Listeners;
  readonly network: Network;
  /** null: plain HTTP behind a reverse proxy, which has the certificate. */
  readonly certificates: Certificates | null;
  /** null: plain HTTP. */
  readonly acme: AcmeClient | null;
}
