// Issues that need attention: only current ones, the most serious first, and none while the facts are unknown.
import { describe, expect, it } from 'vitest';
import { nodeExample } from '../../contract/nodes/nodes.ts';
import { OPERATIONS } from '../../contract/table.ts';
import { computeAttention, type PanelFacts } from './attention.ts';

const now = Date.parse('2026-12-20T10:00:00Z');
const overview = OPERATIONS.getOverview.example.reply as NonNullable<PanelFacts['overview']>;
const certificates = OPERATIONS.getCertificates.example.reply as NonNullable<PanelFacts['certificates']>;
const backups = OPERATIONS.listBackups.example.reply as NonNullable<PanelFacts['backups']>;
const updates = OPERATIONS.getUpdates.example.reply as NonNullable<PanelFacts['updates']>;
const page = { limit: 100, offset: 0, next_cursor: null };
const nothing: PanelFacts = {
  clock: undefined,
  overview: undefined,
  nodes: undefined,
  plans: undefined,
  certificates: undefined,
  backups: undefined,
  places: undefined,
  updates: undefined,
  acme: undefined,
  failures: undefined,
  providers: undefined,
  now,
};
const kinds = (facts: Partial<PanelFacts>) => computeAttention({ ...nothing, ...facts }).map(({ kind }) => kind);
const quiet = { ...overview, users: { ...overview.users, expiring_7d: 0, limited: 0 } };

describe('computeAttention', () => {
  it('reports many failed attempts, and not those of somebody who mistyped', () => {
    const failures = (count: number) => ({ sign_ins: { count, networks: 3 }, keys: { count: 0, networks: 0 } });
    expect(kinds({ failures: failures(9) })).toEqual([]);
    expect(computeAttention({ ...nothing, failures: failures(2311) })).toEqual([
      { kind: 'sign-ins', count: 2311, networks: 3 },
    ]);
  });

  it('reports nothing that was not read, and nothing where nothing is wrong', () => {
    expect(kinds({})).toEqual([]);
    expect(kinds({ overview: quiet, nodes: { ...page, items: [nodeExample], total: 1 } })).toEqual([]);
  });

  it('reports the certificate of links of a node that was not renewed, or ends soon', () => {
    const of = (links_certificate: typeof nodeExample.links_certificate, enabled = true) => {
      const items = [{ ...nodeExample, enabled, links_certificate }];
      return computeAttention({ ...nothing, nodes: { ...page, items, total: 1 } });
    };
    const sound = { not_after: '2026-12-30T10:00:00.000Z', ends_soon: false, failure: null };
    const matter = { kind: 'node-certificate', id: nodeExample.id, name: nodeExample.name };
    expect([of(null), of(sound)]).toEqual([[], []]);
    expect(of({ ...sound, ends_soon: true })).toEqual([{ ...matter, endsAt: sound.not_after, isOver: false }]);
    expect(of({ ...sound, failure: 'refused' })).toEqual([{ ...matter, endsAt: sound.not_after, isOver: false }]);
    expect(of({ not_after: null, ends_soon: false, failure: 'refused' })).toMatchObject([{ endsAt: null }]);
    expect(of({ ...sound, not_after: '2026-12-20T10:00:00.000Z', ends_soon: true })).toMatchObject([{ isOver: true }]);
    expect(of({ ...sound, failure: 'refused' }, false)).toEqual([]);
  });

  it('reports a payment provider that refuses, not one that fails for a while or is off', () => {
    const { items } = OPERATIONS.listProviders.example.reply as NonNullable<PanelFacts['providers']>;
    const [provider] = items;
    if (!provider) throw new Error('no example');
    const of = (error: typeof provider.error, enabled = true) =>
      computeAttention({ ...nothing, providers: { items: [{ ...provider, error, enabled }] } });
    const matter = { kind: 'provider', id: provider.id, name: provider.name };
    for (const error of ['unauthorized', 'forbidden', 'open_refused', 'refused', 'no_keys'] as const)
      expect(of(error), error).toEqual([matter]);
    for (const error of [null, 'timeout', 'unavailable', 'rate_limited'] as const) expect(of(error)).toEqual([]);
    expect(of('unauthorized', false)).toEqual([]);
  });

  it('reports a newer version, and whether installing it failed', () => {
    const of = (facts: PanelFacts['updates']) => computeAttention({ ...nothing, updates: facts });
    expect(of({ ...updates, available: null })).toEqual([]);
    expect(of(updates)).toEqual([{ kind: 'update', version: '0.2.0', isTakenBack: false }]);
    const last = {
      at: '2026-11-20T09:00:00.000Z',
      from: '0.2.0',
      to: '0.1.0',
      reason: 'silent',
      restored: false,
    } as const;
    expect(of({ ...updates, last: { ...last, result: 'rolled_back' } })).toMatchObject([{ isTakenBack: true }]);
    expect(of({ ...updates, last: { ...last, result: 'returned' } })).toMatchObject([{ isTakenBack: false }]);
    expect(of({ ...updates, last: { ...last, from: '0.1.9', result: 'rolled_back' } })).toMatchObject([
      { isTakenBack: false },
    ]);
  });

  it('reports what a new panel lacks', () => {
    expect(kinds({ nodes: { ...page, items: [], total: 0 }, plans: { ...page, items: [], total: 0 } })).toEqual([
      'no-nodes',
      'no-plans',
    ]);
  });

  it('names nodes that are down, but not those that are switched off', () => {
    const down = { ...nodeExample, status: 'down' as const };
    const items = [down, { ...down, id: 2, name: 'Off', enabled: false }, { ...nodeExample, id: 3 }];
    expect(computeAttention({ ...nothing, nodes: { ...page, items, total: 3 } })).toEqual([
      { kind: 'node-down', id: 1, name: 'Frankfurt', lastSeen: nodeExample.last_seen_at },
    ]);
  });

  it('reports a certificate that ends or has ended', () => {
    const served = (warning: 'ends_soon' | 'ended' | null) => ({
      ...certificates,
      served: certificates.served.map((one) => ({ ...one, warning })),
    });
    expect(kinds({ certificates: served(null) })).toEqual([]);
    expect(computeAttention({ ...nothing, certificates: served('ended') })).toMatchObject([
      { kind: 'certificate', isOver: true },
    ]);
    expect(computeAttention({ ...nothing, certificates: served('ends_soon') })).toMatchObject([{ isOver: false }]);
  });

  it('reports what is the matter with the authority, while it signs what is served', () => {
    const [one] = certificates.served;
    const known = certificates.authority;
    if (!one || !known) throw new Error('no example');
    const replaced = { fingerprint: '65:43:21', at: '2026-12-19T10:00:00.000Z' };
    const found = (authority: Partial<typeof known>, source: typeof one.source = 'local') => {
      const all = { ...certificates, served: [{ ...one, source }], authority: { ...known, ...authority } };
      return computeAttention({ ...nothing, certificates: all });
    };
    expect(found({})).toEqual([]);
    expect(found({ replaced })).toEqual([{ kind: 'authority', state: 'replaced', at: replaced.at }]);
    expect(found({ replaced }, 'imported')).toEqual([]);
    const { not_before, not_after } = known;
    for (const [warning, at] of [
      ['ends_soon', not_after],
      ['ended', not_after],
      ['not_yet', not_before],
    ] as const)
      expect(found({ warning })).toEqual([{ kind: 'authority', state: warning, at }]);
  });

  it('reports an imported certificate that is damaged', () => {
    const served = certificates.served.map((one) => ({ ...one, warning: 'import_damaged' as const }));
    expect(kinds({ certificates: { ...certificates, served } })).toEqual(['import-damaged']);
  });

  it('reports a place of backups that fails, and that no backup has left the machine for two days', () => {
    const places = OPERATIONS.listBackupPlaces.example.reply as NonNullable<PanelFacts['places']>;
    const nodes = { ...page, items: [nodeExample], total: 1 };
    const [place] = places.items;
    if (!place) throw new Error('no example');
    const of = (left_at: string | null, items = places.items, facts: Partial<PanelFacts> = { overview: quiet }) =>
      computeAttention({ ...nothing, nodes, ...facts, places: { items, left_at } });
    expect(of('2026-12-18T10:00:00.000Z')).toEqual([]);
    const late = '2026-12-18T09:59:59.999Z';
    expect(of(late)).toEqual([{ kind: 'backup-away', leftAt: late, hasPlaces: true }]);
    expect(of(null, [])).toEqual([{ kind: 'backup-away', leftAt: null, hasPlaces: false }]);
    // An empty panel has nothing to lose.
    expect(of(null, [], { overview: undefined })).toEqual([]);
    const young = { ...page, items: [{ ...nodeExample, created_at: '2026-12-19T20:00:00.000Z' }], total: 1 };
    expect(of(null, [], { overview: quiet, nodes: young })).toEqual([]);
    expect(of('2026-12-20T09:00:00.000Z', [{ ...place, error: 'timeout' }])).toEqual([
      { kind: 'backup-place', id: place.id, name: place.name },
    ]);
  });

  it('reports an old backup, and a missing one once there is data', () => {
    const nodes = { ...page, items: [nodeExample], total: 1 };
    const made = (created_at: string) => ({
      ...backups,
      items: backups.items.map((backup) => ({ ...backup, created_at })),
    });
    expect(kinds({ overview: quiet, nodes, backups: made('2026-12-19T10:00:00.000Z') })).toEqual([]);
    expect(kinds({ overview: quiet, nodes, backups: made('2026-12-01T10:00:00.000Z') })).toEqual(['backup']);
    expect(kinds({ overview: quiet, nodes, backups: { ...backups, items: [] } })).toEqual(['backup']);
    const young = { ...page, items: [{ ...nodeExample, created_at: '2026-12-20T09:00:00.000Z' }], total: 1 };
    expect(kinds({ overview: quiet, nodes: young, backups: { ...backups, items: [] } })).toEqual([]);
    const empty = { ...quiet, users: { ...quiet.users, total: 0 } };
    expect(kinds({ overview: empty, nodes, backups: { ...backups, items: [] } })).toEqual([]);
  });

  it('puts what stops people first', () => {
    const down = { ...nodeExample, status: 'down' as const };
    expect(kinds({ overview, nodes: { ...page, items: [down], total: 1 } })).toEqual([
      'node-down',
      'expiring',
      'limited',
    ]);
  });

  it('reports keys and passwords from the tenth failure in an hour on, each by itself', () => {
    const failures = (sign_ins: number, keys: number) => ({
      sign_ins: { count: sign_ins, networks: 3 },
      keys: { count: keys, networks: 2 },
    });
    expect(kinds({ failures: failures(10, 9) })).toEqual(['sign-ins']);
    expect(computeAttention({ ...nothing, failures: failures(9, 10) })).toEqual([
      { kind: 'keys', count: 10, networks: 2 },
    ]);
  });

  it('reports an order by ACME that fails, and whether it is the first', () => {
    const acme = OPERATIONS.getAcme.example.reply as NonNullable<PanelFacts['acme']>;
    const of = (changes: Partial<typeof acme>) => computeAttention({ ...nothing, acme: { ...acme, ...changes } });
    expect(of({ status: 'active' })).toEqual([]);
    expect(of({ status: 'failing', not_after: null })).toEqual([{ kind: 'acme', isFirst: true }]);
    expect(of({ status: 'failing', not_after: '2026-12-30T10:00:00.000Z' })).toEqual([
      { kind: 'acme', isFirst: false },
    ]);
  });

  it('says when a certificate ends, and nothing of one that is not valid yet', () => {
    const [one] = certificates.served;
    if (one === undefined) throw new Error('the example serves none');
    const of = (warning: typeof one.warning) =>
      computeAttention({ ...nothing, certificates: { ...certificates, served: [{ ...one, warning }] } });
    expect(of('ended')).toEqual([{ kind: 'certificate', endsAt: one.not_after, isOver: true }]);
    expect(of('not_yet')).toEqual([]);
  });

  it('measures a backup by the newest one: a week, and without one a day from the first node on', () => {
    const [example] = backups.items;
    if (example === undefined) throw new Error('the example has none');
    const of = (created: readonly string[], nodesAt: readonly string[] = []) =>
      computeAttention({
        ...nothing,
        overview: quiet,
        backups: { ...backups, items: created.map((created_at) => ({ ...example, created_at })) },
        nodes: {
          ...page,
          items: nodesAt.map((created_at) => ({ ...nodeExample, created_at })),
          total: 2,
        },
      });
    const [newer, older] = ['2026-12-13T10:00:00.000Z', '2026-12-01T10:00:00.000Z'];
    expect(of([newer, older])).toEqual([]);
    expect(of([older, newer])).toEqual([]);
    const late = '2026-12-13T09:59:59.999Z';
    for (const created of [
      [late, older],
      [older, late],
    ])
      expect(of(created)).toEqual([{ kind: 'backup', lastAt: late }]);
    const [yesterday, before] = ['2026-12-19T10:00:00.000Z', '2026-12-19T09:59:59.999Z'];
    expect(of([], [yesterday])).toEqual([]);
    for (const nodesAt of [
      [yesterday, before],
      [before, yesterday],
    ])
      expect(of([], nodesAt)).toEqual([{ kind: 'backup', lastAt: null }]);
    // A panel without nodes counts as new.
    expect(of([])).toEqual([]);
  });

  it('says how many terms end soon and how many users have reached their limit', () => {
    const users = { ...overview.users, expiring_7d: 5, limited: 3 };
    expect(computeAttention({ ...nothing, overview: { ...overview, users } })).toEqual([
      { kind: 'expiring', count: 5, countedAt: overview.generated_at },
      { kind: 'limited', count: 3 },
    ]);
  });
});
