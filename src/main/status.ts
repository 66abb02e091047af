// How the panel fares, as the tray says it.
import type { Output } from '../contract/table.ts';
import type { Call, Reply } from '../core/context.ts';
import type { Panel } from '../panel/panel.ts';
import type { Status } from './tray.ts';

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'desktop', access: 'full' },
  requestId: 'tray',
  address: null,
};

/** null where no panel is open, or it cannot be read at the moment. */
export function statusOf(panel: Pick<Panel, 'core' | 'api'> | null): Status {
  if (panel === null) return null;
  try {
    const { body } = panel.core.dispatch('getOverview', {}, CALL) as Reply;
    const { users, traffic } = body as Output<'getOverview'>;
    const { up, down } = traffic.today;
    return {
      baseUrl: panel.core.baseUrl(),
      usersOnline: users.online,
      trafficToday: up + down,
      isPaused: panel.api.isPaused(),
    };
  } catch {
    return null;
  }
}
