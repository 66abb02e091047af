// The state of the secret store, and how to fix it.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';

export const VAULT_STATES = ['unlocked', 'locked', 'absent', 'changed', 'deleted', 'headless'] as const;

const vault = z
  .object({
    state: z.enum(VAULT_STATES),
    backend: z.string().nullable().meta({ description: 'Where the master key is stored; null: nowhere.' }),
    key_file: z
      .string()
      .nullable()
      .meta({ description: 'The path of the key file; null: the key is in the keychain, or there is none.' }),
    message: z.string().meta({ description: 'The meaning and what to do, in English.' }),
  })
  .meta({ id: 'Vault' });
const reply = {
  state: 'unlocked',
  backend: 'secret-service',
  key_file: null,
  message: 'Secrets are sealed with a key in the keychain.',
} as const;

export const getVault = panelOperation({
  id: 'getVault',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the state of the secret store',
  input: z.strictObject({}),
  output: vault,
  example: { body: {}, reply },
});

export const refreshVault = panelOperation({
  id: 'refreshVault',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Check the keychain again after it was unlocked',
  input: z.strictObject({}),
  output: vault,
  example: { body: {}, reply },
});
