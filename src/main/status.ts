// How the panel fares, as the tray says it.
import type { Call } from '../core/call.ts';
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
    const { users, traffic } = panel.core.call('getOverview', {}, CALL).body;
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
