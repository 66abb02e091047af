// Records that came from another panel.
import type {
  ImportedLink,
  ImportedRecord,
  ImportLinkSource,
  ImportStore,
  ImportSummary,
} from '../core/ports/imports.ts';
import type { Connection } from './database.ts';
import { untilWritten } from './until-written.ts';

export function createImportStore(db: Connection): ImportStore {
  const sources = db.prepare<[], ImportLinkSource>(
    'SELECT source, kind, path, key FROM imported_link_sources ORDER BY source',
  );
  const saveSource = db.prepare<[ImportLinkSource]>(
    `INSERT INTO imported_link_sources (source, kind, path, key) VALUES (:source, :kind, :path, :key)
     ON CONFLICT (source) DO UPDATE SET kind = excluded.kind, path = excluded.path`,
  );
  const removeSource = db.prepare<[string]>('DELETE FROM imported_link_sources WHERE source = ?');
  const links = db.prepare<[string], ImportedLink>(
    `SELECT hash, user_id AS userId, not_before AS notBefore, ends_at AS endsAt FROM imported_links
     WHERE hash = ? ORDER BY user_id`,
  );
  const saveLink = db.prepare<[ImportedLink]>(
    `INSERT INTO imported_links (hash, user_id, not_before, ends_at) VALUES (:hash, :userId, :notBefore, :endsAt)
     ON CONFLICT (hash, user_id) DO UPDATE SET not_before = max(not_before, excluded.not_before)`,
  );
  const hasLinks = db
    .prepare<[number], number>('SELECT EXISTS (SELECT 1 FROM imported_links WHERE user_id = ?)')
    .pluck();
  const removeLinks = db.prepare<[number, string]>(
    'DELETE FROM imported_links WHERE user_id = ? AND hash NOT IN (SELECT value FROM json_each(?))',
  );
  const releaseLink = db.prepare<[string, number | null]>(
    'DELETE FROM imported_links WHERE hash = ? AND user_id IS NOT ?',
  );
  const isUntouched = 'own.version = imported_records.version';
  // Who connected since uses what was imported.
  const isUserUntouched = `${isUntouched} AND coalesce(own.online_at, 0) <= imported_records.at`;
  const UNTOUCHED = {
    user: `JOIN users AS own ON own.id = record_id AND ${isUserUntouched}`,
    inbound: `JOIN inbounds AS own ON own.id = record_id AND ${isUntouched}`,
    tariff: `JOIN tariffs AS own ON own.id = record_id AND ${isUntouched}`,
  } as const;
  const summaries = db.prepare<[], ImportSummary>(
    `SELECT source, max(imported_records.at) AS at, count(own.id) AS users,
       count(own.id) FILTER (WHERE ${isUserUntouched}) AS untouched
     FROM imported_records LEFT JOIN users AS own ON own.id = record_id
     WHERE kind = 'user' GROUP BY source ORDER BY at DESC`,
  );
  const untouched = (kind: ImportedRecord['kind']) =>
    db
      .prepare<[string, number, number], number>(
        `SELECT record_id FROM imported_records ${UNTOUCHED[kind]}
         WHERE kind = '${kind}' AND source = ? AND record_id > ? ORDER BY record_id LIMIT ?`,
      )
      .pluck();
  const untouchedOf = { user: untouched('user'), inbound: untouched('inbound'), tariff: untouched('tariff') };
  const hasOpenAccess = db
    .prepare<[], number>(
      `SELECT EXISTS (SELECT 1 FROM users WHERE inbounds IS NULL) OR EXISTS (SELECT 1 FROM tariffs WHERE inbounds IS NULL)`,
    )
    .pluck();
  const remove = db.prepare<[string, number]>('DELETE FROM imported_records WHERE kind = ? AND record_id = ?');
  const get = db.prepare<[string, string, string], Pick<ImportedRecord, 'recordId' | 'facts' | 'version'>>(
    'SELECT record_id AS recordId, facts, version FROM imported_records WHERE kind = ? AND source = ? AND source_id = ?',
  );
  const save = db.prepare<[ImportedRecord]>(
    `INSERT INTO imported_records (kind, source, source_id, record_id, facts, version, at)
     VALUES (:kind, :source, :sourceId, :recordId, :facts, :version, :at)
     ON CONFLICT (kind, source, source_id) DO UPDATE SET
       record_id = excluded.record_id, facts = excluded.facts, version = excluded.version`,
  );
  // Few, and read with every unknown link.
  const linkSources = untilWritten(db, () => sources.all());
  return {
    get: (kind, source, sourceId) => get.get(kind, source, sourceId),
    save: (record) => {
      save.run(record);
    },
    summaries: () => summaries.all(),
    untouched: (kind, source, after, limit) => untouchedOf[kind].all(source, after, limit),
    hasOpenAccess: () => hasOpenAccess.get() === 1,
    remove: (kind, recordId) => {
      remove.run(kind, recordId);
    },
    linkSources,
    saveLinkSource: (source) => {
      saveSource.run(source);
    },
    removeLinkSource: (source) => {
      removeSource.run(source);
    },
    links: (hash) => links.all(hash),
    saveLink: (link) => {
      saveLink.run(link);
    },
    hasLinks: (userId) => hasLinks.get(userId) === 1,
    removeLinks: (userId, except = []) => {
      removeLinks.run(userId, JSON.stringify(except));
    },
    releaseLink: (hash, userId) => {
      releaseLink.run(hash, userId);
    },
  };
}
