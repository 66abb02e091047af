// Proof of identity: the password and the code of the second factor, for operations that export data or weaken the panel.
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** How long a proof is valid in its session. */
export const PROOF_MINUTES = 5;

/** A typed password: any text is accepted, and a wrong one fails the proof. */
export const typedPassword = z.string().max(1024);

/** A code as typed: six digits of the app, or a recovery code. */
export const typedCode = z.string().max(64);

/** Members of every operation with `proof`. */
export const proof = {
  password: typedPassword.optional().meta({
    description: `The administrator's password. Optional for ${PROOF_MINUTES} minutes after it was entered in the same session.`,
  }),
  code: typedCode.optional().meta({ description: 'Required with the password if the second factor is on.' }),
};

const proofMembers = z.object(proof);
export type Proof = z.output<typeof proofMembers>;

/** The proof in the input of a call. */
export function parseProof(input: object): Proof {
  return proofMembers.parse(input);
}

/** Errors of every operation with `proof`. */
export const PROOF_ERRORS = [
  'proof_required',
  'wrong_password',
  'slow_down',
  'vault_unavailable',
] as const satisfies readonly ErrorCode[];

export const prove = panelOperation({
  id: 'prove',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Prove your identity',
  description: 'For requests that are no operation, such as downloading a backup.',
  input: z.strictObject(proof),
  output: z.object({
    proven_until: s.instant.nullable().meta({ description: 'How long it is valid; null without a session.' }),
  }),
  errors: PROOF_ERRORS,
  example: { body: { password: 'correct horse battery' }, reply: { proven_until: '2026-11-20T10:05:00.000Z' } },
});
