// The core's port to the engines of nodes (Xray, v2ray): start, counters, and who may connect. Implemented in src/engines.
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
  /** Which engine a local node would run; null: none is found. */
  engine(): Promise<{ readonly name: EngineName; readonly version: string } | null>;
  /** Whether an engine could listen on this port of TCP: no program does, and the panel's account may. */
  isFree(port: number): Promise<boolean>;
}

export interface EngineUser {
  readonly userId: number;
  readonly credentials: Credentials;
}

/** An inbound with what only its engine may know. */
export interface EngineInbound extends MachineInbound {
  /** X25519, base64url, with `reality` and `wireguard`. */
  readonly privateKey: string | null;
  /** PEM, of the certificate, with `tls`. */
  readonly certificateKey: string | null;
  /** Of Shadowsocks 2022, base64, as long as the cipher takes it. */
  readonly serverKey: string | null;
}

/** Everything that an engine serves, but for its users. A change of it needs another start. */
export interface EngineConfig {
  readonly inbounds: readonly EngineInbound[];
  /** Whether users are kept from private and local addresses behind the node. */
  readonly blocksPrivate: boolean;
}

/** An engine that runs, as it answers itself. */
export interface RunningEngine {
  readonly name: EngineName;
  /** As in `26.3.27`. */
  readonly version: string;
  /** Which start this is: the `boot` that it was started with. Null: not started by a panel. */
  readonly boot: string | null;
  /** `fingerprint` of the configuration that it was started with. */
  readonly fingerprint: string | null;
  /** Epoch ms, by its own uptime. */
  readonly startedAt: number;
}

/** Bytes since the engine started; counters of removed users stay. */
export interface EngineCounters {
  readonly boot: string | null;
  readonly users: ReadonlyMap<number, UpDown>;
  /** By tag. */
  readonly inbounds: ReadonlyMap<string, UpDown>;
}

/** An address from which a user has connections open. */
export interface ConnectedAddress {
  readonly address: string;
  /** When the last of them was opened, in Unix seconds of the engine's own clock. */
  readonly openedAt: number;
}

/** One user on one inbound: to be let in, or not. */
export interface EngineChange {
  readonly inbound: EngineInbound;
  readonly user: EngineUser;
  readonly isAllowed: boolean;
}

/** A user who moves bytes over an inbound. */
export interface EngineSession {
  readonly inboundId: number;
  readonly userId: number;
}

/** The message has the engine's own words, where it gave any. */
export class EngineError extends Error {
  readonly code: NodeErrorCode;
  constructor(code: NodeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Refusals that may be about one inbound of a configuration. */
const OF_INBOUNDS: readonly NodeErrorCode[] = ['config_refused', 'port_taken', 'other_version'];

/** Why an engine would not start with a configuration; null: it would. Rejects where it does not say. */
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

/** What one start of an engine had counted of a user, or of an inbound, when its machine last wrote that down. */
export interface LedgerEntry extends UpDown {
  /** Grows with everything that is written down; an entry that changes gets another one. */
  readonly seq: number;
  readonly boot: string;
  /** Null: of the inbound `tag`. */
  readonly userId: number | null;
  /** Null: of the user. */
  readonly tag: string | null;
}

/** A start of an engine of which nothing more will be written down. */
export interface LedgerEnd {
  readonly seq: number;
  readonly boot: string;
}

/** The next entries of a ledger, in order. */
export interface LedgerPage {
  /** Which ledger it is. */
  readonly ledger: string;
  /** The process that offers it. */
  readonly run: string;
  /** The last number that was acknowledged before, by what the ledger itself says. */
  readonly acknowledged: number;
  readonly entries: readonly LedgerEntry[];
  readonly ends: readonly LedgerEnd[];
  readonly events: readonly LedgerEvent[];
  /** All numbers up to this one are in this page or before it. */
  readonly until: number;
  readonly isLast: boolean;
  /** Why the engine could not be asked what it has counted since; null: it was, or was not to be. */
  readonly failure: EngineError | null;
}

/** How far the ledger of a node's machine was taken. */
export interface LedgerTaken {
  /** Which ledger it is. */
  readonly ledger: string;
  /** The process that offered it: numbers of another one say nothing. */
  readonly run: string;
  /** The last number that was taken. */
  readonly taken: number;
  /** The last one that the machine was told of and has answered to. */
  readonly acknowledged: number;
}

/** What a ledger has that the panel has not acknowledged. */
export interface LedgerWaiting {
  readonly entries: number;
  /** That users have moved since these were last read by the panel. */
  readonly bytes: number;
}

/** The certificate of the links that a machine serves. */
export interface MachineCertificate {
  /** Null: there is none yet. */
  readonly endsAt: number | null;
  /** It should have been replaced by now. */
  readonly isLate: boolean;
  /** Why the last order by ACME failed; null: it did not, or none is ordered. */
  readonly failure: AcmeFailureCode | null;
}

/** What became of another engine on a machine, or is to become of it. */
export interface EngineJob {
  /** As in `xray-26.3.27`; null: the one that was used before. */
  readonly name: string | null;
  readonly state: 'running' | 'switched' | 'same' | 'refused' | 'taken_back' | 'failed';
  /** Empty where nothing went wrong. */
  readonly reason: string;
}

/** A node of an update of engines. */
export interface EngineUpdateStep {
  readonly nodeId: number;
  state: EngineStepState;
  reason: string;
}

/** An update of engines over nodes, in memory only. */
export interface EngineUpdateRun {
  /** As in `xray-26.3.27`; null: what each node used before. */
  readonly engine: string | null;
  readonly steps: readonly EngineUpdateStep[];
  isRunning: boolean;
  /** It ends after the present node. */
  isStopping: boolean;
}

/** The engines of a machine, by names as in `xray-26.3.27`. */
export interface MachinePrograms {
  /** What it would start; null: none. */
  readonly current: string | null;
  /** What was used before. */
  readonly former: string | null;
  /** What its release of Gatehouse can bring. */
  readonly offered: readonly string[];
  /** Its service was started with a program of its own: it takes no other. */
  readonly hasOwnPath: boolean;
  /** The last one since it started; null: none. */
  readonly job: EngineJob | null;
}

/** How the machine of an engine is. */
export interface MachineFacts {
  /** Its load in the last minute by processor core, in percent; null: the system does not tell. */
  readonly load: number | null;
  /** How many ms its clock is ahead of the panel's; null: it is the panel's, or it does not say. */
  readonly clockOffset: number | null;
  /** The version of Gatehouse there; null: it is the panel's, or it does not say. */
  readonly version: string | null;
  /** Null: it serves no links, or does not say. */
  readonly certificate: MachineCertificate | null;
  /** Null: it has no ledger, or does not say. */
  readonly waiting: LedgerWaiting | null;
}

/** The engine of one node. All methods reject with EngineError; every call ends in bounded time. */
export interface Engine {
  /** The engine that runs now, adopted if an earlier panel left it; null: none. */
  running(): Promise<RunningEngine | null>;
  /** Identifies a configuration: equal for equal ones, over restarts. */
  fingerprint(config: EngineConfig): string;
  /**
   * Asks the engine's program whether it would start with this; the running one is not touched. `config_refused`, `port_taken`: what is about the port of
   * an inbound begins as `describePort` does, also where a start fails.
   */
  check(config: EngineConfig): Promise<void>;
  /** Starts it with these users on these inbounds (ids). There must be none running. */
  start(
    config: EngineConfig,
    users: Iterable<EngineUser & { readonly inbounds: readonly number[] }>,
    boot: string,
  ): Promise<RunningEngine>;
  /**
   * Starts it with whom the lease of its machine lets in now, if that is as named. There must be none running. Null: it holds another one. Absent: it
   * cannot.
   */
  startHeld?(
    config: EngineConfig,
    held: Pick<LeaseHeld, 'leaseId' | 'version'>,
    boot: string,
  ): Promise<RunningEngine | null>;
  /** Ends a start or a check that is under way, as the caller is about to close; none begins after it. Absent: none is waited for long. */
  abandonStart?(): void;
  /** `isRestart`: the caller starts it next; a machine of its own does so itself where the caller has not within three minutes. */
  stop(isRestart?: boolean): Promise<void>;
  counters(): Promise<EngineCounters>;
  /**
   * What its machine has written down behind `taken`, which is acknowledged by that: the machine may forget it. `asks`: the counters are read and
   * written down before. Null: its machine has no ledger, and the counters are all there is.
   */
  readLedgerPage(taken: LedgerTaken | null, isFresh: boolean): Promise<LedgerPage | null>;
  /** Sends a part of the lease to its machine, or asks what that holds. Null: it was given none yet. Absent: it takes none, as a local node. */
  lease?(part: LeasePart | null): Promise<LeaseHeld | null>;
  /**
   * Makes each user as wanted, whatever the engine had: one that is there already is replaced. The outcomes are in order: null where it
   * holds now. Rejects where the engine does not answer; what was done before stays done.
   */
  apply(changes: readonly EngineChange[]): Promise<readonly (EngineError | null)[]>;
  /** Which of these users move bytes over these inbounds, allowed or not: what half a second shows. Absent: this engine cannot `reopen`. */
  findSessions?(inbounds: readonly EngineInbound[], userIds: readonly number[]): Promise<readonly EngineSession[]>;
  /**
   * Closes an inbound and opens it again with these users, which ends the sessions over some protocols (`endsWhenReopened`). A machine of its own knows
   * the users itself. Rejects with `engine_refused` where nothing was changed; after another failure the engine has to be started again.
   */
  reopen?(inbound: EngineInbound, users: () => Promise<readonly EngineUser[]>): Promise<void>;
  /** The engines of its machine. Absent: the panel cannot install another one there. */
  programs?(): Promise<MachinePrograms>;
  /** Begins to bring its machine another engine; null: the one that was used before. What becomes of it is the `job` of `programs`. */
  changeProgram?(name: string | null): Promise<void>;
  /** Ids of the users on an inbound; null: this engine cannot tell. */
  members(inbound: EngineInbound): Promise<readonly number[] | null>;
  /** From where each user who is connected is: with connections that are open now; null: this engine cannot tell. */
  connected(): Promise<ReadonlyMap<number, readonly ConnectedAddress[]> | null>;
  /** The version of the protocol that the machine between has spoken last, as in `1.0`; null: none is there, or it has not answered yet. */
  protocol(): string | null;
  /** As it was when the engine was last asked whether it runs; null: nothing is known of it. */
  machine(): MachineFacts | null;
  /** Its last lines, the oldest first. */
  log(): readonly string[];
  /** Called when the engine ends by itself. */
  onExit(listener: (error: EngineError) => void): void;
  /** Lets go of it; the engine goes on. No process is started after it. */
  close(): void;
}

/** The panel's key for the machines of nodes, and the certificate that it signs itself. PEM. */
export interface PanelIdentity {
  readonly key: string;
  readonly certificate: string;
}

/** How machines of nodes come to be trusted: each end knows the public key of the other, by its SHA-256 in hex (`pin`). */
export interface NodeTrust {
  makeIdentity(): Promise<PanelIdentity>;
  computePin(identity: PanelIdentity): string;
  /**
   * Joins the machine that waits there for the panel, if one does and knows the secret. Resolves with its pin. `takenBy`: the pin of the machine
   * that was joined with this secret before; the one that waits is told, and is not joined. Rejects with EngineError.
   */
  join(identity: PanelIdentity, place: JoinPlace, takenBy: string | null): Promise<string>;
}

export interface JoinPlace {
  readonly host: string;
  readonly port: number;
  /** Of the token, hex. */
  readonly secret: string;
}

/** The engines of nodes, by id. Null: this host runs none for it. */
export type OpenEngine = (node: { readonly id: number; readonly kind: 'local' | 'remote' }) => Engine | null;
