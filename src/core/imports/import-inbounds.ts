// Connections of a document on nodes of this panel: all in one transaction, so that a plan, which rolls it back, finds the same conflicts.
import type { DocumentHeader, DocumentInbound } from '../../contract/imports/document.ts';
import { inboundCreate } from '../../contract/inbounds.ts';
import { prepareInbound } from '../inbounds/inbounds.ts';
import type { Action, Env, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Call } from '../ports/call.ts';
import type { ImportEntry, ImportOutcome, ImportReason } from '../ports/imports.ts';
import type { Vault } from '../ports/ports.ts';

export interface Importer {
  readonly env: Env;
  readonly action: Action & { readonly by: Call };
  readonly header: DocumentHeader;
  readonly isApplied: boolean;
}

/** The panel and its installation. */
export function sourceKey({ source }: DocumentHeader): string {
  return `${source.name} ${source.instance}`;
}

/** Rolls a transaction back that was only tried. */
class Tried extends Error {}

/** Ids here by those of the document; null: it is not here. */
type InboundIds = ReadonlyMap<string, number | null>;

interface Outcome {
  readonly outcome: ImportOutcome;
  readonly reasons: readonly ImportReason[];
  readonly recordId: number | null;
}

/** Stands for the owner of a port, whose id is known in the transaction only. */
const SOME_INBOUND = 1;

export async function importInbounds(
  importer: Importer,
  nodeId: number | null,
): Promise<{ readonly ids: InboundIds; readonly entries: readonly ImportEntry[] }> {
  const { env, header, isApplied } = importer;
  const outcomes = new Map<string, Outcome>();
  const pending: PendingInbound[] = [];
  // The owners of ports before those that share them.
  const ordered = [false, true].flatMap((isSharer) =>
    header.inbounds.filter((inbound) => (inbound.shares_port_of !== null) === isSharer),
  );
  const vault = isApplied ? env.vault : sealNothing(env);
  for (const inbound of ordered) {
    const target = findTarget(importer, inbound, nodeId);
    if (typeof target !== 'number') outcomes.set(inbound.id, target);
    else pending.push({ inbound, makers: await prepareMakers({ ...env, vault }, inbound, target) });
  }
  try {
    if (pending.length > 0)
      await env.transact(importer.action, (tx) => {
        for (const each of pending)
          outcomes.set(each.inbound.id, createPending({ ...tx, vault }, each, outcomes, importer));
        if (!isApplied) throw new Tried();
      });
  } catch (error) {
    if (!(error instanceof Tried)) throw error;
  }
  const entries = header.inbounds.map(({ id, name, losses }): ImportEntry => {
    const { outcome = 'skipped', reasons = [] } = outcomes.get(id) ?? {};
    return { kind: 'inbound', id, name, outcome, reasons: [...losses, ...reasons] };
  });
  return { ids: new Map([...outcomes].map(([id, { recordId }]) => [id, recordId])), entries };
}

/** The node on which an inbound is created; or what becomes of it. */
function findTarget({ env, header }: Importer, { id, node }: DocumentInbound, nodeId: number | null): number | Outcome {
  const record = env.store.imports.get('inbound', sourceKey(header), id);
  if (record && env.store.inbounds.get(record.recordId))
    return { outcome: 'unchanged', reasons: [], recordId: record.recordId };
  if (record) return skip('deleted_here');
  return findNode(env, node, nodeId) ?? skip('no_node');
}

function skip(code: ImportReason['code'], detail = ''): Outcome {
  return { outcome: 'skipped', reasons: [{ code, detail }], recordId: null };
}

/** The node by its name in the document, else the given one, else the only or the local one. */
function findNode({ store }: Pick<Env, 'store'>, name: string | null, nodeId: number | null): number | null {
  const nodes = store.nodes.page(store.nodes.count(), 0);
  const named = nodes.find((node) => name !== null && node.name === name);
  if (named) return named.id;
  if (nodeId !== null) return nodes.find(({ id }) => id === nodeId)?.id ?? null;
  const only = nodes.length === 1 ? nodes[0] : nodes.find(({ kind }) => kind === 'local');
  return only?.id ?? null;
}

type Maker = Awaited<ReturnType<typeof prepareInbound>>;

interface PendingInbound {
  readonly inbound: DocumentInbound;
  /** With the certificate of the source, then with a self-signed one. */
  readonly makers: readonly Maker[];
}

async function prepareMakers(env: Env, inbound: DocumentInbound, nodeId: number): Promise<readonly Maker[]> {
  const { id: _id, node: _node, losses: _losses, shares_port_of: owner, ...fields } = inbound;
  const shares_port_of = owner === null ? null : SOME_INBOUND;
  // Plans are imported later, as they refer to inbounds.
  const hosts = fields.hosts.map((host) => ({ ...host, tariffs: [] }));
  const input = inboundCreate.parse({ ...fields, hosts, node_id: nodeId, shares_port_of });
  const inputs = input.certificate === null ? [input] : [input, { ...input, certificate: null, certificate_key: null }];
  return Promise.all(inputs.map((each) => prepareInbound(env, each)));
}

function createPending(
  tx: Transaction,
  { inbound, makers }: PendingInbound,
  outcomes: ReadonlyMap<string, Outcome>,
  { header }: Importer,
): Outcome {
  const owner = inbound.shares_port_of === null ? null : (outcomes.get(inbound.shares_port_of)?.recordId ?? undefined);
  if (owner === undefined) return skip('connection_refused', `shares_port_of: ${inbound.shares_port_of}`);
  const reasons: ImportReason[] = [];
  for (const [index, make] of makers.entries()) {
    try {
      const recordId = make(tx, { shares_port_of: owner }).body.id;
      const source = sourceKey(header);
      tx.store.imports.save({
        kind: 'inbound',
        source,
        sourceId: inbound.id,
        recordId,
        facts: null,
        version: 1,
        at: tx.now,
      });
      return { outcome: 'created', reasons, recordId };
    } catch (error) {
      // It is refused before anything of it is written.
      if (!(error instanceof PanelError) || error.errors === undefined) throw error;
      if (index === makers.length - 1 || !isAboutCertificate(error))
        return skip('connection_refused', describeRefusal(error));
      reasons.push({ code: 'certificate_refused', detail: describeRefusal(error) });
    }
  }
  return skip('connection_refused');
}

/** Limits hosts of created inbounds to the plans of the document; one whose plans are not here is for nobody. */
export function assignHosts(
  { store }: Transaction,
  { header }: Importer,
  inbounds: InboundIds,
  tariffs: ReadonlyMap<string, number>,
): void {
  for (const { id, hosts } of header.inbounds) {
    const row = store.inbounds.get(inbounds.get(id) ?? 0);
    if (!row || hosts.every((host) => host.tariffs.length === 0)) continue;
    const assigned = row.hosts.map((host, index) => {
      const wanted = hosts[index]?.tariffs ?? [];
      const present = wanted.flatMap((tariff) => tariffs.get(tariff) ?? []);
      const isForNobody = wanted.length > 0 && present.length === 0 && host.tags.length === 0;
      return { ...host, tariffs: present, enabled: host.enabled && !isForNobody };
    });
    store.inbounds.save({ ...row, hosts: assigned });
  }
}

/** A plan needs no key: what it seals is rolled back. */
function sealNothing({ vault, store }: Pick<Env, 'store' | 'vault'>): Vault {
  // All secrets of a store have one key.
  const keyId = store.sealed.keyId() ?? '-';
  return {
    ...vault,
    prepare: async () => {},
    seal: (place) => ({ place, keyId, nonce: new Uint8Array(12), ciphertext: new Uint8Array(16) }),
  };
}

function isAboutCertificate({ errors }: PanelError): boolean {
  return errors?.every(({ pointer }) => pointer === '#/certificate' || pointer === '#/certificate_key') ?? false;
}

function describeRefusal({ code, errors }: PanelError): string {
  const [first] = errors ?? [];
  return first ? `${first.pointer?.replace('#/', '') ?? ''}: ${first.message}` : code;
}
