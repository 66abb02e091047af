// Proof of identity: the password, and the code of the second factor, asked for by operations that take data out or weaken the panel.
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** How long a proof holds for the session in which it was given. */
export const PROOF_MINUTES = 5;

/** A password as typed for proof: any text is accepted, and a wrong one fails the proof. */
export const typedPassword = z.string().max(1024);

/** A code as typed: six digits of the app, or a recovery code. */
export const typedCode = z.string().max(64);

/** Of every operation with `proof`. */
export const proof = {
  password: typedPassword.optional().meta({
    description: `The administrator's password. May be left out for ${PROOF_MINUTES} minutes after it was given in the same session.`,
  }),
  code: typedCode.optional().meta({ description: 'With the password, where the second factor is on.' }),
};

const proofMembers = z.object(proof);
export type Proof = z.output<typeof proofMembers>;

/** The proof in the input of a call. */
export function proofOf(input: object): Proof {
  return proofMembers.parse(input);
}

/** What every operation with `proof` may answer. */
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
  summary: 'Prove who is signed in',
  description: 'For what has no operation, such as downloading a backup: asks for the proof where it is needed.',
  input: z.strictObject(proof),
  output: z.object({
    proven_until: s.instant.nullable().meta({ description: 'How long it holds; null without a session.' }),
  }),
  errors: PROOF_ERRORS,
  example: { body: { password: 'correct horse battery' }, reply: { proven_until: '2026-11-20T10:05:00.000Z' } },
});
