// The role of the panel, as its pages show it.
import type { Handlers } from '../kernel/context.ts';

export const ROLE_HANDLERS = {
  getRole: {
    read: (_input, { env, settings }) => ({ body: { state: env.role?.state() ?? 'active', epoch: settings.epoch } }),
  },
} satisfies Handlers<'getRole'>;
