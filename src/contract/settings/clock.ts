// Whether the machine's clock can be trusted.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const CLOCK_STATES = ['followed', 'doubted', 'kept'] as const;
export const CLOCK_DOUBTS = ['jumped', 'behind', 'ahead'] as const;

const clock = z
  .object({
    state: z.enum(CLOCK_STATES).meta({
      description:
        '`followed`: the clock of the machine is trusted. `doubted`: it jumped, or was implausible at the start; until it is confirmed the panel continues with its own time, and resets, ends of terms and grants, notices, clean-up, scheduled backups and certificate renewal wait. `kept`: others confirmed the time of the panel, so the clock is wrong; nothing waits.',
    }),
    doubt: z.enum(CLOCK_DOUBTS).nullable().meta({
      description:
        '`jumped`: it moved by more than 30 seconds while the panel was running. `behind`: at the start it was before the last known time. `ahead`: at the start it was more than 7 days after it. Null while it is followed.',
    }),
    since: s.instant
      .nullable()
      .meta({ description: 'Since when, in the time of the panel; null while it is followed.' }),
    panel_at: s.instant.meta({ description: 'The time of the panel.' }),
    machine_at: s.instant.meta({ description: 'What the clock of the machine shows.' }),
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
  tag: 'Panel',
  summary: 'Confirm the clock of the machine',
  description: 'The panel follows it from then on, and does what has waited.',
  input: z.strictObject({}),
  output: clock,
  example: {
    body: {},
    reply: {
      state: 'followed',
      doubt: null,
      since: null,
      panel_at: '2026-06-19T10:00:08.000Z',
      machine_at: '2026-06-19T10:00:08.000Z',
    },
  },
});
