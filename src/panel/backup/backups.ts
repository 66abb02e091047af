// Keeps the backups of one data folder: makes them of the live database, looks through any file, and restores in one step.
import { createReadStream, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createGate } from '../../adapters/semaphore.ts';
import { PanelError } from '../../core/panel-error.ts';
import type {
  BackupFile,
  BackupKind,
  BackupSource,
  Backups,
  Restored,
  RestoreRequest,
} from '../../core/ports/backups.ts';
import type { Clock, Store, Vault } from '../../core/ports/ports.ts';
import { originIn } from '../config.ts';
import { FILES } from '../data-folder.ts';
import { hasRoom, openBackupFolder } from './folder.ts';
import { type BackupHeader, newFileKey } from './form.ts';
import { openBackup } from './open.ts';
import { openAll, sealAnew } from './secrets.ts';
import { type BackupThread, openBackupThread } from './thread.ts';
import { receiveBackup } from './upload.ts';

export interface BackupParts {
  /** The data folder, which this process owns. */
  readonly folder: string;
  readonly database: string;
  readonly store: Pick<Store, 'sizeBytes'>;
  /** Puts a complete database in the place of the present one. */
  exchange(ready: string): void;
  readonly vault: Vault;
  /** The vault as it is for data that have no secrets yet: it works also where the key of the present ones is lost. */
  vaultAnew(): Promise<Vault>;
  readonly clock: Clock;
  readonly version: string;
  /** How links begin: scheme, host and port; null where that is not known yet. */
  linksAt(): string | null;
  /** Lets go of every other connection to the database. */
  releaseDatabase(): Promise<void>;
  /** log2 of scrypt's N for passphrases; lowered by tests only. */
  readonly passphraseCost?: number;
}

/** How many backups from before a restore are kept. */
const FORMER_KEPT = 5;
/** A copy, its compressed form and that read back. */
const ROOM_FACTOR = 3;

/** The thread takes some 30 MB; a restore mostly follows a check. */
const IDLE_MS = 10_000;

/** What a piece of work is done with: a thread, and a folder that goes with it. */
interface Bench {
  readonly thread: BackupThread;
  readonly at: (name: string) => string;
}

/** Throws away what an earlier process broke off. Begins nothing by itself. */
export function createBackups(parts: BackupParts): Backups {
  const { folder, database, store, vault, clock, version } = parts;
  const files = openBackupFolder(join(folder, FILES.backups));
  const workshop = join(folder, FILES.workshop);
  const oneAtATime = createGate(1);
  let thread: BackupThread | null = null;
  let running: Promise<unknown> | null = null;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;
  files.sweep();
  rmSync(workshop, { recursive: true, force: true });

  function working<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
    return oneAtATime(async () => {
      if (isClosed) throw new PanelError('unavailable');
      mkdirSync(workshop, { recursive: true, mode: 0o700 });
      clearTimeout(idle);
      thread ??= openBackupThread();
      const done = work({ thread, at: (name) => join(workshop, name) });
      running = done;
      try {
        return await done;
      } catch (error) {
        await endThread();
        throw error;
      } finally {
        running = null;
        idle = setTimeout(() => void endThread(), IDLE_MS).unref();
        rmSync(workshop, { recursive: true, force: true });
      }
    });
  }

  async function endThread(): Promise<void> {
    const ending = thread;
    thread = null;
    await ending?.end();
  }

  async function make({ thread, at }: Bench, kind: BackupKind, passphrase: string | null): Promise<BackupFile> {
    if (!hasRoom(folder, store.sizeBytes() * ROOM_FACTOR)) throw new PanelError('storage_full');
    const createdAt = clock.now();
    const copy = at('copy.db');
    const isFormer = kind === 'before_restore';
    const { schema, counts, sealed } = await thread.run('copy', { database, target: copy, keepsSealed: isFormer });
    const database_bytes = statSync(copy).size;
    const fileKey = passphrase === null ? null : await newFileKey(passphrase, parts.passphraseCost);
    const travel = fileKey !== null ? 'inside' : isFormer ? 'this_machine' : 'left_out';
    const header: BackupHeader = {
      ...{ version, created_at: createdAt, database_bytes, key: fileKey?.sealed ?? null },
      secrets: sealed.length === 0 ? 'none' : travel,
    };
    const manifest = {
      ...{ schema, database_bytes, counts, links_at: parts.linksAt() },
      secrets: travel === 'inside' ? openAll(vault, sealed) : {},
      left_out: travel === 'left_out' ? sealed.map(({ place }) => place) : [],
    };
    const { name, path, unfinished } = files.newPath(kind, createdAt);
    await thread.run('pack', { copy, path, unfinished, header, manifest, key: fileKey?.key ?? null });
    return files.describe(name);
  }

  function locate(source: BackupSource): string {
    const path = 'name' in source ? files.find(source.name) : source.path;
    if (path === null || !statSync(path, { throwIfNoEntry: false })?.isFile()) throw new PanelError('not_found');
    return path;
  }

  async function restore(request: RestoreRequest, bench: Bench): Promise<Restored> {
    const { thread, at } = bench;
    const candidate = at('candidate.db');
    const ready = at('ready.db');
    const { verdict, found } = await openBackup(thread, locate(request.source), request.passphrase, candidate);
    if (found === null) return { verdict, former: null };
    const needed = statSync(candidate).size * 2 + store.sizeBytes() * ROOM_FACTOR;
    if (!hasRoom(folder, needed)) throw new PanelError('storage_full');
    const secrets = await sealAnew(found, parts.vaultAnew);
    const fault = await thread.run('rebuild', { source: candidate, target: ready, schema: found.judged.schema });
    if (fault !== null) return { verdict: { ...verdict, problem: fault }, former: null };
    const linksAt = found.manifest?.links_at ?? null;
    const publicUrl = linksAt === null || linksAt === parts.linksAt() ? null : originIn(linksAt);
    const former = await request.alone(async () => {
      const made = await make(bench, 'before_restore', null);
      const { sessionId } = request;
      await thread.run('keep', { target: ready, keep: { present: database, sessionId, publicUrl, ...secrets } });
      await parts.releaseDatabase();
      parts.exchange(ready);
      request.exchanged();
      return made;
    });
    await vault.refresh();
    removeOld('before_restore', FORMER_KEPT);
    return { verdict, former };
  }

  function removeOld(kind: BackupKind, count: number): void {
    const all = files.list().filter((file) => file.kind === kind);
    for (const { name } of all.slice(count)) files.remove(name);
  }

  return {
    folder: files.path,
    list: files.list,
    create: (kind, passphrase) => working((bench) => make(bench, kind, passphrase)),
    keep: removeOld,
    remove: files.remove,
    check: (source, passphrase) =>
      working(async ({ thread, at }) => {
        const { verdict } = await openBackup(thread, locate(source), passphrase, at('candidate.db'));
        return verdict;
      }),
    restore: (request) => working((bench) => restore(request, bench)),
    open(name) {
      const path = files.find(name);
      return path === null ? null : { sizeBytes: statSync(path).size, chunks: createReadStream(path) };
    },
    receive: (chunks) => receiveBackup(files, clock.now(), chunks),
    async close() {
      isClosed = true;
      clearTimeout(idle);
      const broken = running;
      await endThread();
      await broken?.catch(() => {});
    },
  };
}
