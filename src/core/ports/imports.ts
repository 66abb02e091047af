// The port of files of other panels: read on a thread of its own, and handed over in parts.
import type { ErrorCode } from '../../contract/errors.ts';
import type { DocumentHeader, ImportSource, LinkKind } from '../../contract/imports/document.ts';
import type {
  IMPORT_KINDS,
  IMPORT_OUTCOMES,
  IMPORT_PHASES,
  IMPORT_PROBLEMS,
  IMPORT_REASONS,
} from '../../contract/imports/imports.ts';
import type { Call } from './call.ts';

/** Why files cannot be imported. */
export type ImportProblem = (typeof IMPORT_PROBLEMS)[number];

/** What users of a document refer to, and for whom they are imported. Plain data, as it crosses threads. */
export interface UserImport {
  /** The panel and its installation. */
  readonly source: string;
  readonly references: ImportReferences;
  /** How tokens of the source are recognized; null: it has no links. */
  readonly links: Pick<ImportLinkSource, 'kind' | 'key'> | null;
  readonly call: Call;
  /** Whether users are written, not only planned. */
  readonly isApplied: boolean;
}

/** Records of the source by their ids there, as they are here; null: the panel does not have it. */
export interface ImportReferences {
  readonly inbounds: ReadonlyMap<string, number | null>;
  readonly tariffs: ReadonlyMap<string, number>;
}

/** What became of some users. */
export interface ImportPart {
  readonly entries: readonly ImportEntry[];
  /** Bytes of those that are or would be here, as in the source. */
  readonly usedBytes: number;
  readonly totalBytes: number;
}

/** Files of another panel, on a thread with its own connection to the database, since planning and writing users takes long. */
export interface ImportDocument {
  readonly header: DocumentHeader;
  begin(users: UserImport): Promise<void>;
  /**
   * Plans or writes the next users, some hundreds at most; null: there are no more. The core starts no other write meanwhile. Rejects with PanelError
   * `storage_full`, or `unavailable` after `ImportFiles.close`.
   */
  step(now: number): Promise<ImportPart | null>;
  close(): Promise<void>;
}

export interface ImportFiles {
  /** `source` null: found out by the files. `paths`: absolute. */
  open(
    paths: readonly string[],
    source: ImportSource | null,
    now: number,
  ): Promise<ImportDocument | { readonly problem: ImportProblem; readonly detail: string }>;
  /** Ends open imports, whose next steps reject. */
  close(): Promise<void>;
}

/** A record here that came from another panel. */
export interface ImportedRecord {
  readonly kind: 'user' | 'inbound' | 'tariff';
  /** The panel and its installation. */
  readonly source: string;
  readonly sourceId: string;
  readonly recordId: number;
  /** Of a user: what the source had at the last import, as JSON. */
  readonly facts: string | null;
  /** Of the record after the last import, as long as nothing else changed it. */
  readonly version: number;
  /** When it was imported first. */
  readonly at: number;
}

export interface ImportStore {
  get(
    kind: ImportedRecord['kind'],
    source: string,
    sourceId: string,
  ): Pick<ImportedRecord, 'recordId' | 'facts' | 'version'> | undefined;
  save(record: ImportedRecord): void;
  linkSources(): readonly ImportLinkSource[];
  /** A known one keeps its key. */
  saveLinkSource(source: ImportLinkSource): void;
  removeLinkSource(source: string): void;
  /** Users with this link, by id. */
  links(hash: string): readonly ImportedLink[];
  /** Whether the user still has links of another panel. */
  hasLinks(userId: number): boolean;
  /** An earlier end stays. */
  saveLink(link: ImportedLink): void;
  /** All but those with these hashes. */
  removeLinks(userId: number, except?: readonly string[]): void;
  /** Takes a link from all users but this one; null: from all. */
  releaseLink(hash: string, userId: number | null): void;
  /** What was imported, by its source. */
  summaries(): readonly ImportSummary[];
  /** Records of a source that nobody changed here, and users who have not connected since: ids above `after`, in order. */
  untouched(kind: ImportedRecord['kind'], source: string, after: number, limit: number): readonly number[];
  /** Whether a user or a tariff has all connections, without a list of its own. */
  hasOpenAccess(): boolean;
  /** Forgets that a record was imported. */
  remove(kind: ImportedRecord['kind'], recordId: number): void;
}

export interface ImportRequest {
  /** Absolute. */
  readonly paths: readonly string[];
  readonly source: ImportSource | null;
  /** Where inbounds are created; null: on the only node, or the local one. */
  readonly nodeId: number | null;
}

export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

export type ImportReasonCode = (typeof IMPORT_REASONS)[number];

export interface ImportReason {
  readonly code: ImportReasonCode;
  readonly detail: string;
}

export interface ImportEntry {
  readonly kind: (typeof IMPORT_KINDS)[number];
  /** In the source. */
  readonly id: string;
  readonly name: string;
  readonly outcome: ImportOutcome;
  readonly reasons: readonly ImportReason[];
}

export interface ImportReport {
  readonly problem: ImportProblem | null;
  /** Where the problem is, as a record and its member; else empty. */
  readonly detail: string;
  readonly source: ImportSource | null;
  readonly applied: boolean;
  /** The backup made before; null for a plan. */
  readonly backup: string | null;
  /** Users by outcome. */
  readonly users: Readonly<Record<ImportOutcome, number>>;
  /** Bytes of the users that are or would be here, as in the source. */
  readonly usedBytes: number;
  readonly totalBytes: number;
  readonly entries: readonly ImportEntry[];
}

/** How tokens of a source are recognized. */
export interface ImportLinkSource {
  readonly source: string;
  readonly kind: LinkKind;
  /** Before the token, without slashes at its ends; null: only below the panel's own path. */
  readonly path: string | null;
  /** 32 random bytes, lower-case hex. */
  readonly key: string;
}

/** A link of a user in another panel. */
export interface ImportedLink {
  readonly hash: string;
  readonly userId: number;
  /** Tokens from before then were revoked, epoch ms. */
  readonly notBefore: number;
  /** null: never. */
  readonly endsAt: number | null;
}

/** Users of one source. */
export interface ImportSummary {
  readonly source: string;
  /** Of the last import that changed something, epoch ms. */
  readonly at: number;
  readonly users: number;
  readonly untouched: number;
}

/** The import of the panel's pages. In memory only: a restart ends it, and another import continues it. */
export interface ImportJob {
  readonly phase: (typeof IMPORT_PHASES)[number];
  readonly request: Pick<ImportRequest, 'source' | 'nodeId'>;
  /** Users that were planned or written so far. */
  readonly done: number;
  readonly error: ErrorCode | null;
  readonly report: ImportReport | null;
}

/** Files that were sent for an import, in a folder of their own. */
export interface ImportUploads {
  list(): readonly { readonly name: string; readonly sizeBytes: number }[];
  /**
   * Writes a part in base64 and resolves to the size of the file; the first part replaces a file of the same name. Throws PanelError `validation` if
   * the part does not follow the last one or exceeds the space for uploads, or `storage_full`.
   */
  append(name: string, offset: number, data: string): Promise<number>;
  /** Absolute paths, without journals, which are read with their database. */
  paths(): readonly string[];
  clear(): Promise<void>;
}
