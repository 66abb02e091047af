// A document of an export with one user, one inbound and one plan.
import type { DocumentUser, ExportDocument } from '../../src/contract/imports/document.ts';
import { documentInbound, EXPORT_FORMAT } from '../../src/contract/imports/document.ts';

export function sampleDocumentUser(fields: Partial<DocumentUser> = {}): DocumentUser {
  return {
    id: '1',
    name: 'ann',
    contact: '',
    note: '',
    tags: [],
    external_id: null,
    telegram_id: null,
    metadata: {},
    enabled: true,
    expires_at: null,
    hold: null,
    traffic_limit: null,
    used_up: 0,
    used_down: 0,
    total_up: 0,
    total_down: 0,
    grants: [],
    reset_strategy: 'none',
    term_began_at: null,
    held_at: null,
    resets_at: null,
    device_limit: null,
    concurrent_limit: null,
    tariff: '1',
    inbounds: ['1'],
    credentials: { uuid: null, password: null, key: null, wireguard: null, by_inbound: [] },
    links: [],
    token: null,
    online_at: null,
    created_at: null,
    losses: [],
    ...fields,
  };
}

export function sampleDocument(changes: Partial<ExportDocument> = {}): ExportDocument {
  const inbound = documentInbound.parse({
    id: '1',
    node: null,
    tag: 'vmess',
    name: 'vmess',
    protocol: 'vmess',
    port: 443,
    shares_port_of: null,
    losses: [],
  });
  return {
    format: EXPORT_FORMAT,
    version: 1,
    source: { name: 'gatehouse', instance: 'another', read_at: '2026-11-20T00:00:00.000Z' },
    links: null,
    tariffs: [
      {
        id: '1',
        name: 'Monthly',
        traffic_limit: null,
        duration: { months: 1 },
        device_limit: null,
        concurrent_limit: null,
        reset_strategy: 'none',
        starts: 'on_first_use',
        inbounds: ['1'],
        price: null,
        archived: false,
      },
    ],
    inbounds: [inbound],
    left_out: [],
    hosts: [],
    users: [sampleDocumentUser()],
    ...changes,
  };
}
