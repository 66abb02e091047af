// Each finding of a diagnosis, what makes it the reason, and that no facts break it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { USER_STATES } from '../../contract/users/users.ts';
import { DAY_MS } from '../limits.ts';
import { type DiagnosedConnection, type DiagnosedFacts, diagnose } from './diagnosis.ts';

const NOW = Date.UTC(2026, 10, 20);
const UP = { id: 1, name: 'N', status: 'up', errorCode: null, lastSeenAt: NOW, pendingChanges: 0 } as const;
const WORKING: DiagnosedConnection = {
  id: 1,
  name: 'C',
  address: 'a.example',
  warnings: [],
  isLeftOut: false,
  node: UP,
};
const DOWN: DiagnosedConnection = {
  ...WORKING,
  id: 2,
  node: { ...UP, id: 2, status: 'down', errorCode: 'engine_crashed' },
};
const FINE: DiagnosedFacts = {
  now: NOW,
  state: 'active',
  expiresAt: null,
  resetsAt: null,
  used: 0,
  limit: null,
  remaining: null,
  cutOff: null,
  online: false,
  onlineAt: null,
  addresses: null,
  link: { host: 'p.example', read: { at: NOW, app: 'Happ/3.1' }, certificate: 'trusted' },
  offered: 2,
  connections: [WORKING],
};
const unread = (host: string) => ({ link: { host, read: null, certificate: null } });
const read = (host: string) => ({ link: { ...FINE.link, host } });

const CASES: readonly [string, Partial<DiagnosedFacts>, string, string, string | null][] = [
  ['a disabled user', { state: 'disabled' }, 'disabled', 'blocking', 'enable'],
  ['a term that is over', { state: 'expired', expiresAt: NOW - 1 }, 'expired', 'blocking', 'extend'],
  ['used traffic', { state: 'limited', used: 5, limit: 5, remaining: 0 }, 'limited', 'blocking', 'add_traffic'],
  [
    'too many addresses',
    { cutOff: { addresses: 5, limit: 2, until: NOW + 1 } },
    'too_many_addresses',
    'blocking',
    'lift_address_limit',
  ],
  ['a term from first use', { state: 'on_hold' }, 'on_hold', 'fine', null],
  ['an end within three days', { expiresAt: NOW + 3 * DAY_MS - 1 }, 'term_ends_soon', 'warning', 'extend'],
  ['little traffic left', { limit: 100, used: 91, remaining: 9 }, 'traffic_low', 'warning', 'add_traffic'],
  ['a panel without connections', { offered: 0, connections: [] }, 'no_connections', 'blocking', 'add_connection'],
  ['no connection allowed', { connections: [] }, 'none_granted', 'blocking', 'allow_all_connections'],
  ['the only node down', { connections: [DOWN] }, 'node_down', 'blocking', 'open_node'],
  ['a node down beside another', { connections: [WORKING, DOWN] }, 'node_down', 'warning', 'open_node'],
  [
    'a node that is not heard of',
    { connections: [{ ...WORKING, node: { ...UP, status: 'unknown' } }] },
    'node_unknown',
    'warning',
    'open_node',
  ],
  [
    'an engine that lags behind',
    { connections: [{ ...WORKING, node: { ...UP, pendingChanges: null } }] },
    'node_not_synced',
    'warning',
    'open_node',
  ],
  ['a refused user', { connections: [{ ...WORKING, isLeftOut: true }] }, 'left_out', 'blocking', 'open_connection'],
  [
    'a connection to the own device',
    { connections: [{ ...WORKING, address: '127.0.0.1' }] },
    'connection_loopback',
    'blocking',
    'open_connection',
  ],
  [
    'a certificate that ended',
    {
      connections: [
        { ...WORKING, warnings: ['certificate_ended'] },
        { ...WORKING, id: 3 },
      ],
    },
    'connection_broken',
    'warning',
    'open_connection',
  ],
  ['a link to the machine itself', unread('127.0.0.1'), 'link_loopback', 'blocking', 'set_address'],
  ['the same after an app read it', read('localhost'), 'link_loopback', 'warning', 'set_address'],
  ['a link of a private network', read('192.168.1.10'), 'link_private', 'warning', 'set_address'],
  [
    'a certificate of the own authority',
    { link: { ...FINE.link, certificate: 'untrusted' } },
    'certificate_untrusted',
    'warning',
    'set_certificate',
  ],
  [
    'a certificate of the link that ended',
    { link: { ...FINE.link, read: null, certificate: 'ended' } },
    'certificate_ended',
    'blocking',
    'set_certificate',
  ],
  ['a link that no app read', unread('p.example'), 'link_never_read', 'warning', 'copy_link'],
  ['a link that was read', {}, 'link_read', 'fine', null],
  ['a user online', { online: true, onlineAt: NOW, addresses: 2 }, 'online', 'fine', null],
  ['a user who was online', { onlineAt: NOW - DAY_MS }, 'last_online', 'fine', null],
];

describe('a diagnosis', () => {
  it.each(CASES)('finds %s', (_, facts, code, severity, remedy) => {
    const { verdict, findings } = diagnose({ ...FINE, ...facts });
    expect(findings.find((finding) => finding.code === code)).toMatchObject({ severity, remedy });
    if (severity !== 'fine') expect(findings[0]).toMatchObject({ severity });
    if (severity === 'blocking') expect(verdict).toBe('cannot');
  });

  const iso = (ms: number) => new Date(ms).toISOString();
  const LIMITED = { state: 'limited', used: 5, limit: 5, remaining: 0 } as const;

  it.each<[string, Partial<DiagnosedFacts>, string, object]>([
    ['the end of a term', { state: 'expired', expiresAt: NOW - 1 }, 'expired', { at: iso(NOW - 1) }],
    ['used traffic', { ...LIMITED, resetsAt: NOW + 5 }, 'limited', { at: iso(NOW + 5), bytes: 5, limit: 5 }],
    ['used traffic that does not come back', LIMITED, 'limited', { at: null, bytes: 5, limit: 5 }],
    ['a limit that was taken off since', { ...LIMITED, limit: null }, 'limited', { at: null, bytes: 5, limit: 0 }],
    [
      'addresses and their limit',
      { cutOff: { addresses: 5, limit: 2, until: NOW + 1 } },
      'too_many_addresses',
      { at: iso(NOW + 1), count: 5, limit: 2 },
    ],
    [
      'addresses without a limit',
      { cutOff: { addresses: 5, limit: null, until: NOW + 1 } },
      'too_many_addresses',
      { at: iso(NOW + 1), count: 5 },
    ],
    ['a near end', { expiresAt: NOW + 1 }, 'term_ends_soon', { at: iso(NOW + 1) }],
    ['a far end', { expiresAt: NOW + 3 * DAY_MS }, 'may_connect', { at: iso(NOW + 3 * DAY_MS) }],
    ['no end', {}, 'may_connect', { at: null }],
    ['what is left', { limit: 100, remaining: 9 }, 'traffic_low', { bytes: 9, limit: 100 }],
    ['how many there are', { connections: [] }, 'none_granted', { count: 2 }],
    [
      'the node and others that work',
      { connections: [WORKING, DOWN] },
      'node_down',
      { at: iso(NOW), id: 2, name: 'N', others: 1, error_code: 'engine_crashed' },
    ],
    [
      'the node that is not heard of',
      { connections: [{ ...WORKING, node: { ...UP, status: 'unknown' } }] },
      'node_unknown',
      { id: 1, name: 'N', others: 1 },
    ],
    [
      'how far behind an engine is',
      { connections: [{ ...WORKING, node: { ...UP, pendingChanges: 3, errorCode: 'engine_crashed' } }] },
      'node_not_synced',
      { id: 1, name: 'N', count: 3, error_code: 'engine_crashed' },
    ],
    ['the node that works', {}, 'node_up', { id: 1, name: 'N' }],
    [
      'the connection without the user',
      { connections: [WORKING, { ...WORKING, id: 4, isLeftOut: true }] },
      'left_out',
      { id: 4, name: 'C', others: 1 },
    ],
    [
      'the address of the own device',
      { connections: [{ ...WORKING, address: 'localhost' }] },
      'connection_loopback',
      { id: 1, name: 'C', host: 'localhost', others: 0 },
    ],
    [
      'the connection that cannot work',
      { connections: [{ ...WORKING, warnings: ['target_port', 'not_served'] }] },
      'connection_broken',
      { id: 1, name: 'C', others: 0 },
    ],
    ['the host of the link', unread('::1'), 'link_loopback', { host: '::1' }],
    ['the private host of the link', read('10.0.0.1'), 'link_private', { host: '10.0.0.1' }],
    [
      'the host of the certificate',
      { link: { ...FINE.link, certificate: 'untrusted' } },
      'certificate_untrusted',
      { host: 'p.example' },
    ],
    [
      'the host of the certificate that ended',
      { link: { ...FINE.link, certificate: 'ended' } },
      'certificate_ended',
      { host: 'p.example' },
    ],
    ['the application', {}, 'link_read', { at: iso(NOW), name: 'Happ/3.1' }],
    [
      'a reading by an application without a name',
      { link: { ...FINE.link, read: { at: NOW, app: null } } },
      'link_read',
      { at: iso(NOW) },
    ],
    ['from how many addresses', { online: true, onlineAt: NOW, addresses: 2 }, 'online', { count: 2 }],
    ['when a user was online', { onlineAt: NOW - DAY_MS }, 'last_online', { at: iso(NOW - DAY_MS) }],
    ['nothing of a user who never was', {}, 'never_online', {}],
    ['nothing of a disabled user', { state: 'disabled' }, 'disabled', {}],
  ])('names %s', (_, facts, code, figures) => {
    const { findings } = diagnose({ ...FINE, ...facts });
    expect(findings.find((finding) => finding.code === code)?.figures).toEqual(figures);
  });

  it('is silent up to the very limit of each thing', () => {
    const listCodes = (facts: Partial<DiagnosedFacts>) =>
      diagnose({ ...FINE, ...facts }).findings.map(({ code }) => code);
    const usual = listCodes({});
    expect(listCodes({ cutOff: { addresses: 5, limit: 2, until: NOW } })).toEqual(usual);
    expect(listCodes({ expiresAt: NOW + 3 * DAY_MS })).toEqual(usual);
    expect(listCodes({ limit: 100, remaining: 10 })).toEqual(usual);
    expect(listCodes({ limit: null, remaining: 0 })).toEqual(usual);
    expect(listCodes({ limit: 100, remaining: null })).toEqual(usual);
    expect(listCodes({ connections: [{ ...WORKING, warnings: ['target_port'] }] })).toEqual(usual);
    // Both at once.
    expect(listCodes({ expiresAt: NOW + 1, limit: 100, remaining: 9 })).toEqual([
      'term_ends_soon',
      'traffic_low',
      'node_up',
      'link_read',
      'never_online',
    ]);
  });

  it('is as bad as its worst finding, and names a node once', () => {
    const getVerdict = (facts: Partial<DiagnosedFacts>) => diagnose({ ...FINE, ...facts }).verdict;
    expect(getVerdict({ expiresAt: NOW + 1 })).toBe('may_fail');
    expect(getVerdict({ expiresAt: NOW + 1, connections: [] })).toBe('cannot');
    const { findings } = diagnose({ ...FINE, connections: [WORKING, { ...WORKING, id: 3 }] });
    expect(findings.filter(({ code }) => code === 'node_up')).toHaveLength(1);
    // One that cannot work for another reason is none of the others.
    const broken = { ...WORKING, id: 5, warnings: ['not_served'] } as const;
    const loopback = { ...WORKING, id: 6, address: '::1' };
    const left = { ...WORKING, id: 7, isLeftOut: true };
    for (const one of [broken, loopback, left])
      expect(diagnose({ ...FINE, connections: [DOWN, one] }).findings[0]).toMatchObject({
        code: 'node_down',
        severity: 'blocking',
      });
  });

  it('of a user with whom nothing is wrong says so', () => {
    const { verdict, findings } = diagnose(FINE);
    expect(verdict).toBe('fine');
    expect(findings.map(({ code }) => code)).toEqual(['may_connect', 'node_up', 'link_read', 'never_online']);
  });

  it('is worst first, and each finding that keeps the user out has a remedy, whatever the facts', () => {
    const host = fc.constantFrom('127.0.0.1', '10.0.0.1', 'a.example', '::1', '');
    const ms = fc.integer({ min: 0, max: 4_102_444_800_000 });
    const connection = fc.record<DiagnosedConnection>({
      id: fc.integer({ min: 1, max: 4 }),
      name: fc.string(),
      address: host,
      warnings: fc.subarray(['not_served', 'certificate_ended', 'target_port'] as const),
      isLeftOut: fc.boolean(),
      node: fc.record({
        id: fc.integer({ min: 1, max: 3 }),
        name: fc.string(),
        status: fc.constantFrom('up', 'down', 'unknown'),
        errorCode: fc.constant(null),
        lastSeenAt: fc.option(ms),
        pendingChanges: fc.option(fc.nat()),
      }),
    });
    const facts = fc.record<DiagnosedFacts>({
      now: ms,
      state: fc.constantFrom(...USER_STATES),
      expiresAt: fc.option(ms),
      resetsAt: fc.option(ms),
      used: fc.nat(),
      limit: fc.option(fc.nat()),
      remaining: fc.option(fc.nat()),
      cutOff: fc.option(fc.record({ addresses: fc.nat(), limit: fc.option(fc.nat()), until: ms })),
      online: fc.boolean(),
      onlineAt: fc.option(ms),
      addresses: fc.option(fc.nat()),
      link: fc.record({
        host,
        read: fc.option(fc.record({ at: ms, app: fc.option(fc.string()) })),
        certificate: fc.constantFrom('trusted', 'untrusted', 'ended', null),
      }),
      offered: fc.nat({ max: 4 }),
      connections: fc.array(connection, { maxLength: 4 }),
    });
    const rank = { blocking: 0, warning: 1, fine: 2 };
    fc.assert(
      fc.property(facts, (given) => {
        const { verdict, findings } = diagnose(given);
        const ranks = findings.map(({ severity }) => rank[severity]);
        expect(ranks).toEqual(ranks.toSorted());
        expect(verdict).toBe((['cannot', 'may_fail', 'fine'] as const)[ranks[0] ?? 2]);
        for (const { severity, remedy } of findings) expect(remedy === null).toBe(severity === 'fine');
        if (['disabled', 'expired', 'limited'].includes(given.state)) expect(verdict).toBe('cannot');
      }),
    );
  });
});
