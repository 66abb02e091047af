// The core's port to the engines of nodes (Xray, v2ray): start, counters, and users. Implemented in src/engines.
import type { EngineStepState } from '../../contract/nodes/engine-update.ts';
import type { NodeErrorCode } from '../../contract/nodes/nodes.ts';
import type { AcmeFailureCode } from '../../contract/settings/acme.ts';
import type { Credentials } from './credentials.ts';
import type { MachineInbound } from './inbounds.ts';
import type { LeaseHeld, LeasePart, LedgerEvent } from './lease.ts';
import type { UpDown } from './traffic.ts';

export type EngineName = 'xray' | 'v2ray';

/** The panel's own machine, where engines of local nodes run. */
export interface LocalMachine {
  /** The engine that a local node would run; null: none is found. */
  engine(): Promise<{ readonly name: EngineName; readonly version: string } | null>;
  /** Whether an engine could listen on this TCP port: it is free, and the panel's account may use it. */
  isFree(port: number): Promise<boolean>;
}

export interface EngineUser {
  readonly userId: number;
  readonly credentials: Credentials;
}

/** An inbound with the secrets that only its engine gets. */
export interface EngineInbound extends MachineInbound {
  /** X25519, base64url; with `reality` and `wireguard` only. */
  readonly privateKey: string | null;
  /** PEM key of the certificate; with `tls` only. */
  readonly certificateKey: string | null;
  /** With `encryption` only: the node's half of it. */
  readonly decryption: string | null;
  /** With `mldsa65Verify` only: base64url. */
  readonly mldsa65Seed: string | null;
  /** With Shadowsocks 2022 only: base64, in the cipher's length. */
  readonly serverKey: string | null;
}

/** Everything that an engine serves except users. A change of it needs a restart. */
export interface EngineConfig {
  readonly inbounds: readonly EngineInbound[];
  /** Whether users are kept from private and local addresses behind the node. */
  readonly blocksPrivate: boolean;
}

/** A running engine, as it reports itself. */
export interface RunningEngine {
  readonly name: EngineName;
  /** Such as `26.3.27`. */
  readonly version: string;
  /** The id of its start (`boot`). null: no panel started it. */
  readonly boot: string | null;
  /** `fingerprint` of the configuration it was started with. */
  readonly fingerprint: string | null;
  /** Epoch ms, computed from its uptime. */
  readonly startedAt: number;
}

/** Bytes since the engine started; counters of removed users stay. */
export interface EngineCounters {
  readonly boot: string | null;
  readonly users: ReadonlyMap<number, UpDown>;
  /** By tag. */
  readonly inbounds: ReadonlyMap<string, UpDown>;
}

/** An address from which a user has open connections. */
export interface ConnectedAddress {
  readonly address: string;
  /** When the last of them was opened, in Unix seconds of the engine's own clock. */
  readonly openedAt: number;
}

/** Allows or blocks a user on one inbound. */
export interface EngineChange {
  readonly inbound: EngineInbound;
  readonly user: EngineUser;
  readonly isAllowed: boolean;
}

/** A user who moves bytes on an inbound. */
export interface EngineSession {
  readonly inboundId: number;
  readonly userId: number;
}

/** The message contains the engine's own text, if it gave one. */
export class EngineError extends Error {
  readonly code: NodeErrorCode;
  constructor(code: NodeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Refusals that may concern a single inbound of a configuration. */
const OF_INBOUNDS: readonly NodeErrorCode[] = ['config_refused', 'port_taken', 'other_version'];

/** Why an engine would not start with a configuration; null: it would. Rejects if the engine cannot be asked. */
export async function findConfigError(
  engine: Pick<Engine, 'check'>,
  config: EngineConfig,
): Promise<EngineError | null> {
  try {
    await engine.check(config);
    return null;
  } catch (error) {
    if (error instanceof EngineError && OF_INBOUNDS.includes(error.code)) return error;
    throw error;
  }
}

/** The counters of a user or an inbound in one start of an engine, as its machine last recorded them. */
export interface LedgerEntry extends UpDown {
  /** Increases with every record; an entry that changes gets a new number. */
  readonly seq: number;
  readonly boot: string;
  /** null: the entry is of the inbound `tag`. */
  readonly userId: number | null;
  /** null: the entry is of the user. */
  readonly tag: string | null;
}

/** A start of an engine that has ended, so that its counters are final. */
export interface LedgerEnd {
  readonly seq: number;
  readonly boot: string;
}

/** The next entries of a ledger, in order. */
export interface LedgerPage {
  /** Id of the ledger. */
  readonly ledger: string;
  /** Id of the process that offers it. */
  readonly run: string;
  /** The last acknowledged number, according to the ledger. */
  readonly acknowledged: number;
  readonly entries: readonly LedgerEntry[];
  readonly ends: readonly LedgerEnd[];
  readonly events: readonly LedgerEvent[];
  /** Everything up to this number is on this page or before it. */
  readonly until: number;
  readonly isLast: boolean;
  /** Why the engine's counters could not be read; null: they were, or need not be. */
  readonly failure: EngineError | null;
}

/** How far the ledger of a node's machine was read. */
export interface LedgerTaken {
  /** Id of the ledger. */
  readonly ledger: string;
  /** Id of the process that offered it: its numbers mean nothing for another process. */
  readonly run: string;
  /** The last number that was read and counted. */
  readonly taken: number;
  /** The last acknowledgement that the machine has confirmed. */
  readonly acknowledged: number;
}

/** The part of a ledger that the panel has not acknowledged. */
export interface LedgerWaiting {
  readonly entries: number;
  /** Bytes of users since the panel last read these entries. */
  readonly bytes: number;
}

/** The certificate of the links that a machine serves. */
export interface MachineCertificate {
  /** null: there is none yet. */
  readonly endsAt: number | null;
  /** Whether its renewal is overdue. */
  readonly isLate: boolean;
  /** Why the last order by ACME failed; null: it did not, or none is ordered. */
  readonly failure: AcmeFailureCode | null;
}

/** The installation of another engine on a machine, and its result. */
export interface EngineJob {
  /** Such as `xray-26.3.27`; null: the former engine. */
  readonly name: string | null;
  readonly state: 'running' | 'switched' | 'same' | 'refused' | 'taken_back' | 'failed';
  /** Empty: no error. */
  readonly reason: string;
}

/** A node in an update of engines. */
export interface EngineUpdateStep {
  readonly nodeId: number;
  state: EngineStepState;
  reason: string;
}

/** An update of engines on nodes; in memory only. */
export interface EngineUpdateRun {
  /** Such as `xray-26.3.27`; null: each node's former engine. */
  readonly engine: string | null;
  readonly steps: readonly EngineUpdateStep[];
  isRunning: boolean;
  /** It stops after the present node. */
  isStopping: boolean;
}

/** The engines of a machine, by names such as `xray-26.3.27`. */
export interface MachinePrograms {
  /** The engine that it would start; null: none. */
  readonly current: string | null;
  /** The former engine; null: none. */
  readonly former: string | null;
  /** Engines that its release of Gatehouse offers. */
  readonly offered: readonly string[];
  /** Whether its service was started with a fixed program, so that it cannot switch. */
  readonly hasOwnPath: boolean;
  /** The last installation since its start; null: none. */
  readonly job: EngineJob | null;
}

/** The state of an engine's machine. */
export interface MachineFacts {
  /** Load average of the last minute by processor core, in percent; null: the system does not report it. */
  readonly load: number | null;
  /** Its clock minus the panel's, ms; null: the panel's own machine, or not reported. */
  readonly clockOffset: number | null;
  /** The version of Gatehouse there; null: the panel's own machine, or not reported. */
  readonly version: string | null;
  /** null: it serves no links, or does not report it. */
  readonly certificate: MachineCertificate | null;
  /** null: it has no ledger, or does not report it. */
  readonly waiting: LedgerWaiting | null;
}

/** The engine of one node. All methods reject with EngineError; every call ends in bounded time. */
export interface Engine {
  /** The running engine, adopted if an earlier panel left it; null: none. */
  running(): Promise<RunningEngine | null>;
  /** Identifies a configuration: the same for equal ones, also after restarts. */
  fingerprint(config: EngineConfig): string;
  /**
   * Checks with the engine's program whether it would start with the configuration; a running engine is not affected. For `config_refused`
   * and `port_taken` of one inbound the message begins with `describePort`, also if a start fails.
   */
  check(config: EngineConfig): Promise<void>;
  /** Starts it with these users on these inbounds (ids). None may be running. */
  start(
    config: EngineConfig,
    users: Iterable<EngineUser & { readonly inbounds: readonly number[] }>,
    boot: string,
  ): Promise<RunningEngine>;
  /**
   * Starts it with the users whom its machine's lease allows now, if it is the named lease. None may be running. null: the machine has
   * another lease. Absent: not supported.
   */
  startHeld?(
    config: EngineConfig,
    held: Pick<LeaseHeld, 'leaseId' | 'version'>,
    boot: string,
  ): Promise<RunningEngine | null>;
  /** Abandons a running start or check, because the caller is about to close; none starts after it. Absent: none takes long. */
  abandonStart?(): void;
  /** `isRestart`: the caller will start it again; if it does not within three minutes, a remote machine does. */
  stop(isRestart?: boolean): Promise<void>;
  counters(): Promise<EngineCounters>;
  /**
   * Entries that its machine has recorded after `taken`, which is thereby acknowledged: the machine may delete it. `isFresh`: the counters
   * are read and recorded first. null: its machine has no ledger, and only counters exist.
   */
  readLedgerPage(taken: LedgerTaken | null, isFresh: boolean): Promise<LedgerPage | null>;
  /**
   * Sends a part of the lease to its machine, or (null) asks which version it has. Resolves to null if it has none. Absent: it takes no
   * lease, as a local node.
   */
  lease?(part: LeasePart | null): Promise<LeaseHeld | null>;
  /**
   * Allows or blocks each user, whatever the engine had: an existing user is replaced. Outcomes are in order; null: success. Rejects if the
   * engine does not answer; changes before that stay.
   */
  apply(changes: readonly EngineChange[]): Promise<readonly (EngineError | null)[]>;
  /** Which of these users, allowed or not, move bytes on these inbounds within half a second. Absent: this engine cannot `reopen`. */
  findSessions?(inbounds: readonly EngineInbound[], userIds: readonly number[]): Promise<readonly EngineSession[]>;
  /**
   * Closes an inbound and opens it again with these users, which ends the sessions of some protocols (`endsWhenReopened`). A remote machine
   * knows the users itself. Rejects with `engine_refused` if nothing was changed; after another error the engine must be restarted.
   */
  reopen?(inbound: EngineInbound, users: () => Promise<readonly EngineUser[]>): Promise<void>;
  /** The engines of its machine. Absent: the panel cannot install one there. */
  programs?(): Promise<MachinePrograms>;
  /** Starts the installation of another engine on its machine; null: the former one. The result is the `job` of `programs`. */
  changeProgram?(name: string | null): Promise<void>;
  /** Ids of the users on an inbound; null: this engine cannot list them. */
  members(inbound: EngineInbound): Promise<readonly number[] | null>;
  /** The addresses of each connected user; null: this engine cannot report them. */
  connected(): Promise<ReadonlyMap<number, readonly ConnectedAddress[]> | null>;
  /** The protocol version of the machine's last answer, such as `1.0`; null: no machine in between, or no answer yet. */
  protocol(): string | null;
  /** The machine's state in the last answer to `running`; null: none yet. */
  machine(): MachineFacts | null;
  /** The last lines of its log, the oldest first. */
  log(): readonly string[];
  /** Called when the engine exits without `stop`. */
  onExit(listener: (error: EngineError) => void): void;
  /** Stops following the engine, which runs on. No process is started afterwards. */
  close(): void;
}

/** The panel's key for machines of nodes, with its self-signed certificate. PEM. */
export interface PanelIdentity {
  readonly key: string;
  readonly certificate: string;
}

/** How the panel and machines of nodes come to trust each other: each end stores the SHA-256 (hex) of the other's public key, the `pin`. */
export interface NodeTrust {
  makeIdentity(): Promise<PanelIdentity>;
  computePin(identity: PanelIdentity): string;
  /**
   * Joins the machine that waits there, if it knows the secret. Resolves with its pin. `takenBy`: the pin of the machine that has already
   * joined with this secret; then the waiting one is told so and not joined. Rejects with EngineError.
   */
  join(identity: PanelIdentity, place: JoinPlace, takenBy: string | null): Promise<string>;
}

export interface JoinPlace {
  readonly host: string;
  readonly port: number;
  /** The token's secret, hex. */
  readonly secret: string;
}

/** Opens the engine of a node. null: this host runs none for it. */
export type OpenEngine = (node: { readonly id: number; readonly kind: 'local' | 'remote' }) => Engine | null;
