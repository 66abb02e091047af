// Key pairs of REALITY connections, made by the panel so that nobody needs the engine's own tool.
import { z } from 'zod';
import { realityKey } from './inbounds.ts';
import { panelOperation } from './operation.ts';

export const makeRealityKeys = panelOperation({
  id: 'makeRealityKeys',
  access: 'session',
  effect: 'read',
  tag: 'Inbounds',
  summary: 'Make a pair of X25519 keys for a connection',
  description: 'Nothing is kept: hand both to createInbound or updateInbound.',
  input: z.strictObject({}),
  output: z.object({ private_key: realityKey, public_key: realityKey }),
  example: {
    body: {},
    reply: {
      private_key: '6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A',
      public_key: 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0',
    },
  },
});
