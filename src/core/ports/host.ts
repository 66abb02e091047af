// The ports of a listening host: addresses that are tried before they stay, and the certificates served there.

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
  /** Where the panel listens, which may be given for this run alone; null before its start. */
  place(): ListenAddress | null;
  /**
   * Listens at another address: beside the present one, or on the same port instead of it. PanelError `address_in_use` where that
   * fails; nothing has changed then.
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

/** What an imported certificate may be refused for. */
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
  /** Those served now; the one for links only where its listener has a certificate of its own. */
  served(): readonly Certificate[];
  authority(): LocalAuthority;
  /** Sets the local authority aside and makes a new one, with leaves that are served at once. */
  replaceAuthority(): Promise<void>;
  /** Checks chain, key and dates; what is refused changes nothing. */
  import(target: CertificateTarget, chainPem: string, keyPem: string): Promise<Certificate | readonly ImportFailure[]>;
  /** A new leaf of the local authority, also in place of an imported one. */
  renew(target: CertificateTarget): Promise<Certificate>;
  /** Whether it could be served: else why not. */
  validateIssued(issued: IssuedByAcme): readonly ImportFailure[];
  /** Stores the certificate by ACME, serves it at these targets, in place of imported ones, and returns its validity. */
  install(issued: IssuedByAcme, targets: readonly CertificateTarget[]): Span;
  /** The chain of the certificate by ACME, PEM; null: there is none. */
  issuedChain(): string | null;
  /** The targets that serve the one by ACME are others: these, in place of imported ones. */
  followAcme(targets: readonly CertificateTarget[]): void;
  /** Removes the certificate by ACME. */
  dropIssued(): void;
  /** The host names changed, which certificates of the local authority must contain, or a restore has changed which targets serve the one by ACME. */
  follow(settings: SettingValues): Promise<void>;
}

export type ReachOutcome = (typeof REACH_OUTCOMES)[number];

/** The panel as this machine's own networks reach it. */
export interface Network {
  /** How base_url begins, then the same with this machine's other addresses, where all are listened on. */
  origins(): readonly string[];
  /** Connects to one of them, for three seconds at most. */
  connect(origin: string): Promise<ReachOutcome>;
}

export interface HostPorts {
  readonly listeners: Listeners;
  readonly network: Network;
  /** null: plain HTTP behind a proxy, which has the certificate. */
  readonly certificates: Certificates | null;
  /** null: plain HTTP. */
  readonly acme: AcmeClient | null;
}
