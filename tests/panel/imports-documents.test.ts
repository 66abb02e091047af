// Documents of any content that the schema allows: imported without a failure, and without anything left to do afterwards.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CREDENTIAL_FORMS, type ExportDocument, exportDocument } from '../../src/contract/imports/document.ts';
import { createCore } from '../../src/core/create-core.ts';
import type { Backups } from '../../src/core/ports/backups.ts';
import { credentialFamily } from '../../src/domain/nodes/inbound-credentials.ts';
import { createImportFiles } from '../../src/panel/workers/import-thread.ts';
import { buildArbitrary } from '../support/arbitrary-of.ts';
import { coreParts } from '../support/core.ts';
import { times } from '../support/long.ts';
import { sampleNode, tempFolder, tempStore } from '../support/temp-store.ts';

const RUNS = times(12, 300);

/** With ids that are unique, and references to records of the document. */
function linkRecords(given: ExportDocument, instance: string): ExportDocument {
  const inbounds = given.inbounds.map((inbound, index) => ({
    ...inbound,
    id: `i${index}`,
    node: null,
    tag: `t${index}-${instance}`.slice(0, 60),
    port: 1000 + index,
    shares_port_of: inbound.shares_port_of === null || index === 0 ? null : 'i0',
  }));
  const pick = (ids: readonly string[] | null) =>
    ids === null ? null : [...new Set(ids.flatMap((_, index) => inbounds[index]?.id ?? []))];
  const tariffs = given.tariffs.map((tariff, index) => ({
    ...tariff,
    id: `t${index}`,
    inbounds: pick(tariff.inbounds),
  }));
  const users = given.users.map((user, index) => ({
    ...user,
    id: `u${index}`,
    tariff: user.tariff === null ? null : (tariffs[0]?.id ?? null),
    inbounds: pick(user.inbounds),
    credentials: {
      ...user.credentials,
      by_inbound: user.credentials.by_inbound.flatMap(({ value, flow }, at) => {
        const inbound = inbounds[at];
        const isFit = inbound && CREDENTIAL_FORMS[credentialFamily(inbound)].safeParse(value).success;
        return isFit ? [{ inbound: inbound.id, value, flow }] : [];
      }),
    },
  }));
  // The vault of this test adds nothing to what it seals.
  const links = given.links && {
    ...given.links,
    secret: given.links.secret && `${given.links.secret}${'x'.repeat(16)}`.slice(0, 500),
  };
  return { ...given, links, source: { ...given.source, instance }, inbounds, tariffs, users };
}

it('imports whatever a document says, and has nothing to do the next time', async () => {
  using folder = tempFolder();
  using temp = tempStore();
  temp.store.nodes.insert(sampleNode({ kind: 'local' }));
  const core = createCore(
    coreParts(temp, {
      importFiles: createImportFiles(folder.path, temp.file),
      backups: { create: async () => ({ name: 'backup' }), close: async () => {} } as unknown as Backups,
    }),
  );
  const path = join(folder.path, 'export.json');
  const request = { paths: [path], source: null, nodeId: null };
  let number = 0;
  let imported = 0;
  await fc.assert(
    fc.asyncProperty(buildArbitrary(exportDocument), async (given) => {
      number += 1;
      const document = linkRecords(given as ExportDocument, `n${number}`);
      writeFileSync(path, JSON.stringify(document));
      const plan = await core.imports.plan(request);
      if (!exportDocument.safeParse(document).success) {
        expect(plan.problem).toBe('not_a_document');
        return;
      }
      expect([plan.problem, plan.detail]).toEqual([null, '']);
      const report = await core.imports.apply(request);
      expect({ ...report, applied: false, backup: null }).toEqual(plan);
      const again = await core.imports.plan(request);
      expect(again.users).toMatchObject({ created: 0, updated: 0 });
      imported += report.users.created;
    }),
    { numRuns: RUNS },
  );
  expect(imported).toBeGreaterThan(0);
  await core.stop();
});
