// Large JSON from other machines is parsed on a separate thread, with the same result.
import { afterAll, expect, it } from 'vitest';
import { JsonRefusal } from '../../domain/foreign-json.ts';
import { createJsonThread } from './json-thread.ts';

const thread = createJsonThread();
afterAll(thread.close);
const bytes = (text: string) => new TextEncoder().encode(text);

it('gives what a text says, members named like those of objects too', async () => {
  const text = '{"a":[1,null,true,"\\u00e9"],"__proto__":{"b":2},"constructor":1}';
  for (const parse of [thread.parseReply, thread.parseBody]) {
    const value = await parse(bytes(text));
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  }
});

it('refuses what is none, and goes on', async () => {
  await expect(thread.parseReply(bytes('secret'))).rejects.toEqual(new JsonRefusal('syntax', 'not JSON'));
  await expect(thread.parseBody(bytes('{"a":1,"a":2}'))).rejects.toMatchObject({
    code: 'bad_json',
    errors: [{ pointer: '#/a', code: 'duplicate' }],
  });
  expect(await thread.parseReply(bytes('1'))).toBe(1);
});
