// A new link and new credentials are unique, even if random values repeat.
import { expect, it } from 'vitest';
import { ADMINISTRATOR_CALL, coreParts } from '../../../tests/support/core.ts';
import { sampleTariff, tempStore } from '../../../tests/support/temp-store.ts';
import { nodeCrypto } from '../../adapters/crypto.ts';
import { createCore } from '../create-core.ts';
import type { Crypto } from '../ports/ports.ts';

/** Returns each of its values twice. */
function repeating(): Crypto {
  const given = new Map<number, Uint8Array>();
  const again = <T>(memory: Map<number, T>, length: number, make: () => T): T => {
    const found = memory.get(length);
    if (found !== undefined) {
      memory.delete(length);
      return found;
    }
    const made = make();
    memory.set(length, made);
    return made;
  };
  const ids = new Map<number, string>();
  return {
    ...nodeCrypto,
    randomBytes: (length) => again(given, length, () => nodeCrypto.randomBytes(length)),
    uuid: () => again(ids, 0, nodeCrypto.uuid),
  };
}

it('makes others where a link or a credential is taken', async () => {
  using temp = tempStore();
  const core = createCore(coreParts(temp, { crypto: repeating() }));
  const { users } = temp.store;
  const tariff_id = temp.store.tariffs.insert(sampleTariff());
  const readAccess = (id: number) => [users.get(id)?.token, ...Object.values(users.credentials(id))];
  const ids = [];
  for (const name of ['a', 'b', 'c']) {
    const { body } = await core.call('createUser', { tariff_id, name }, ADMINISTRATOR_CALL);
    ids.push(body.id);
  }
  const first = ids.flatMap(readAccess);
  for (const id of ids) await core.call('reissueUser', { id }, ADMINISTRATOR_CALL);
  const all = [...first, ...ids.flatMap(readAccess)];
  expect(new Set(all).size).toBe(6 * 4);
  await core.stop();
});
