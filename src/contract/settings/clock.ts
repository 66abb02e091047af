// Whether the machine's clock can be trusted.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/**
 * `followed`: the clock of the machine is trusted. `doubted`: until it is confirmed the panel continues with its own time, and what time alone
 * brings about waits. `kept`: others confirmed the time of the panel, so the clock is wrong; nothing waits.
 */
export const CLOCK_STATES = ['followed', 'doubted', 'kept'] as const;
/**
 * `jumped`: it moved by more than 30 seconds while the panel was running. At the start, `behind`: it was before the last known time; `ahead`:
 * more than 7 days after it.
 */
export const CLOCK_DOUBTS = ['jumped', 'behind', 'ahead'] as const;

const clock = z
  .object({
    state: z.enum(CLOCK_STATES),
    doubt: z.enum(CLOCK_DOUBTS).nullable(),
    since: s.instant.nullable(),
    panel_at: s.instant,
    machine_at: s.instant,
  })
  .meta({ id: 'PanelClock' });

const reply = {
  state: 'doubted',
  doubt: 'jumped',
  since: '2026-05-10T10:00:00.000Z',
  panel_at: '2026-05-10T10:00:08.000Z',
  machine_at: '2026-06-19T10:00:08.000Z',
} as const;

export const getClock = panelOperation({
  id: 'getClock',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read whether the clock of the machine is trusted',
  input: z.strictObject({}),
  output: clock,
  example: { body: {}, reply },
});

export const confirmClock = panelOperation({
  id: 'confirmClock',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Confirm the clock of the machine',
  input: z.strictObject(proof),
  output: clock,
  errors: PROOF_ERRORS,
  example: { body: {}, reply: { ...reply, state: 'followed', doubt: null, since: null } },
});
