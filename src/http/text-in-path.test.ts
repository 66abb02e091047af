// A text in a path arrives unchanged: whatever a path parameter accepts, a URL can carry.
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDoor, type TestDoor } from '../../tests/support/door.ts';
import { times } from '../../tests/support/long.ts';
import { pathKinds } from '../contract/input/input.ts';
import { API_OPERATIONS } from '../contract/table.ts';
import { userCreate, userPatch } from '../contract/users/users.ts';

let door: TestDoor;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.close());

/** Characters with a meaning in URLs, alone and within other text. */
const UNIT = fc.constantFrom(...'.%/\\?#&=+:;@ ~*2eEüё中🚀', '%2e', '%2F', '..');
const text = fc.oneof(
  fc.string({ unit: UNIT, minLength: 1, maxLength: 8 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }),
  fc.constantFrom('.', '..', '...', './', '../', '/..', '%2e', '%2E.', '.%2e', '．'),
);

const texts = API_OPERATIONS.flatMap((operation) =>
  [...pathKinds(operation)].flatMap(([name, kind]) => (kind === 'string' ? [{ operation, name }] : [])),
);

it('there is such a parameter', () => {
  expect(texts.map(({ operation, name }) => `${operation.id} ${name}`)).toContain('putUser external_id');
});

describe.each(texts)('$operation.id, $name', ({ operation, name }) => {
  it('arrives through fetch', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        fc.pre(operation.params.safeParse({ [name]: value }).success);
        const path = operation.path.replace(`{${name}}`, encodeURIComponent(value));
        await door.call(operation.method, path, {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(operation.example.body ?? {}),
        });
        expect(door.core.asked.pop()).toMatchObject({ operation: operation.id, input: { [name]: value } });
      }),
      { numRuns: times(300, 3000) },
    );
  });
});

it('the id of another system is the same wherever it is written', () => {
  const { params } = API_OPERATIONS.find(({ id }) => id === 'putUser') ?? {};
  for (const external_id of fc.sample(text, 300)) {
    const accepted = params?.safeParse({ external_id }).success;
    for (const body of [userCreate, userPatch])
      expect(body.pick({ external_id: true }).safeParse({ external_id }).success, external_id).toBe(accepted);
  }
});
