// What is drawn says the examples of filters and fills none of them in; path parameters keep theirs.
import { expect, it } from 'vitest';
import { copyDescription } from './copy-description.ts';

const document = {
  paths: {
    '/users/{id}': {
      get: {
        parameters: [
          { in: 'path', name: 'id', required: true, example: 7 },
          { in: 'query', name: 'q', schema: { type: 'string', description: 'A part of the name.' }, example: 'anna' },
          { in: 'query', name: 'sort' },
        ],
      },
      delete: {},
    },
  },
};

it('says examples in words where they would be sent', () => {
  const before = structuredClone(document);
  expect(copyDescription(document)).toMatchObject({
    paths: {
      '/users/{id}': {
        get: {
          parameters: [
            { name: 'id', example: 7 },
            { name: 'q', description: 'A part of the name. Example: `anna`.' },
            { in: 'query', name: 'sort' },
          ],
        },
      },
    },
  });
  expect(JSON.stringify(copyDescription(document))).not.toContain('"example":"anna"');
  expect(document).toEqual(before);
});
