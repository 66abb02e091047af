// The second factor and the password: what protects the administrator, changed only with proof of identity.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { PROOF_ERRORS, proof, typedCode, typedPassword } from './proof.ts';
import { password } from './session.ts';

const recoveryCodes = z
  .object({ recovery_codes: z.array(z.string()).length(10).meta({ description: 'Shown once; each works once.' }) })
  .meta({ id: 'RecoveryCodes' });
const codesExample = {
  recovery_codes: Array.from({ length: 10 }, (_, index) => `k3v7-p2qx-9f4m-t6wz-b8ne-${1000 + index}`),
};
const twoFactor = z
  .object({
    enabled: z.boolean(),
    enabled_at: s.instant.nullable(),
    recovery_codes_left: z.int().min(0),
  })
  .meta({ id: 'TwoFactor' });

export const getTwoFactor = panelOperation({
  id: 'getTwoFactor',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read whether the second factor is on',
  input: z.strictObject({}),
  output: twoFactor,
  example: { body: {}, reply: { enabled: true, enabled_at: '2026-11-20T10:00:00.000Z', recovery_codes_left: 10 } },
});

export const beginTwoFactor = panelOperation({
  id: 'beginTwoFactor',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Start to set up an authenticator app',
  description: 'Takes effect when a code of the new secret is confirmed within ten minutes.',
  input: z.strictObject(proof),
  output: z.object({ secret: z.string(), uri: z.string().meta({ description: 'otpauth URI for a QR code.' }) }),
  errors: PROOF_ERRORS,
  example: {
    body: { password: 'correct horse battery' },
    reply: {
      secret: 'JBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/Gatehouse:admin?secret=JBSWY3DPEHPK3PXP&issuer=Gatehouse',
    },
  },
});

export const confirmTwoFactor = panelOperation({
  id: 'confirmTwoFactor',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Turn the second factor on with a code of the new secret',
  description: 'Previous recovery codes stop working; all other sessions end.',
  input: z.strictObject({ code: typedCode }),
  output: recoveryCodes,
  errors: ['wrong_password', 'slow_down', 'vault_unavailable', 'not_found'],
  example: { body: { code: '492039' }, reply: codesExample },
});

export const disableTwoFactor = panelOperation({
  id: 'disableTwoFactor',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Turn the second factor off',
  input: z.strictObject(proof),
  output: twoFactor,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: {
    body: { password: 'correct horse battery', code: '492039' },
    reply: { enabled: false, enabled_at: null, recovery_codes_left: 0 },
  },
});

export const renewRecoveryCodes = panelOperation({
  id: 'renewRecoveryCodes',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Create new recovery codes; the previous ones stop working',
  input: z.strictObject(proof),
  output: recoveryCodes,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { password: 'correct horse battery', code: '492039' }, reply: codesExample },
});

export const changePassword = panelOperation({
  id: 'changePassword',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Change the password',
  description:
    'Requires the current password in the call, even after a proof of identity. All other sessions end; API keys are revoked if requested.',
  input: z.strictObject({
    password: typedPassword.meta({ description: 'The current password.' }),
    code: proof.code,
    new_password: password.meta({ description: 'The new password.' }),
    revoke_keys: z.boolean().default(false).meta({ description: 'Whether all API keys are revoked as well.' }),
  }),
  output: z.object({ sessions_ended: z.int().min(0), keys_revoked: z.int().min(0) }),
  errors: PROOF_ERRORS,
  example: {
    body: { password: 'correct horse battery', new_password: 'staple battery horse', revoke_keys: true },
    reply: { sessions_ended: 1, keys_revoked: 2 },
  },
});
