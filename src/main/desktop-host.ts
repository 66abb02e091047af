// The panel in the desktop application: its session, the messages for its events, and its checks.

import type { Basics } from './desktop-basics.ts';
import type { DesktopParts } from './desktop-parts.ts';
import type { Windows } from './desktop-windows.ts';
import { describeFailure } from './dialogs.ts';
import { createHost, type Host } from './host.ts';
import { createNotifier, describeEvent, type NotificationContent, readEventName } from './notifications.ts';
import { createStaySignedIn, type StaySignedIn } from './stay-signed-in.ts';

/** How often the panel is checked and the tray updated, in ms. */
const CHECK_MS = 5000;
/** On a battery only every third check is done. */
const SAVING_TURNS = 3;

export interface DesktopHost {
  readonly host: Host;
  readonly staySignedIn: StaySignedIn;
  notify(content: NotificationContent): void;
}

/** `onAttention` is called when the issues that need the administrator may have changed. */
export function createDesktopHost(
  parts: DesktopParts,
  { state, texts, dialogs, log }: Basics,
  windows: Windows,
  onAttention: () => void,
): DesktopHost {
  const { now } = parts.clock;
  const notify = createNotifier({
    Notification: parts.electron.Notification,
    now,
    texts,
    openPage: windows.main.show,
  });
  const staySignedIn = createStaySignedIn({
    isEnabled: () => state.get().staySignedIn,
    panel: () => host.panel(),
    token: () => host.session()?.token() ?? null,
  });
  const host = createHost({
    options: { folder: parts.folder, keyFile: parts.keyFile, startKeychain: parts.startKeychain },
    open: parts.openPanel,
    device: 'Gatehouse',
    ask: dialogs.refused,
    async onOpen(panel, session) {
      if (session.token() === null) await staySignedIn.resume(panel, session);
      panel.core.subscribe((event) => {
        if (/^(?:node|backup|certificate)\./.test(event.type)) onAttention();
        if (!state.get().notifications || windows.main.isFocused()) return;
        const content = describeEvent(event, texts(), () => readEventName(panel.core, event));
        if (content !== null) notify(content);
      });
    },
    onSession(token) {
      staySignedIn.onSession(token);
      if (token === null) windows.closeRecords();
    },
    onReopened(reason, error) {
      const t = texts();
      if (error !== null) {
        log.error('panel not reopened', { reason, error });
        notify({
          title: t('notReopened'),
          body: describeFailure(error, t),
          hash: '',
        });
      } else if (reason !== 'update') {
        // A failed update has its own dialog.
        notify({
          title: t('reopened'),
          body: t(reason === 'socket' ? 'reopenedSocket' : 'reopenedDatabase'),
          hash: '',
        });
      }
    },
  });
  return { host, staySignedIn, notify };
}

export interface Checks {
  start(): void;
  stop(): void;
}

/** Checks the panel every few seconds; `onChecked` after each time. */
export function createChecks({ electron }: DesktopParts, { log }: Basics, host: Host, onChecked: () => void): Checks {
  const { powerMonitor } = electron;
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      let turn = 0;
      timer = setInterval(() => {
        const isOnBattery = powerMonitor.isOnBatteryPower();
        host.panel()?.core.saveEnergy(isOnBattery);
        turn = (turn + 1) % SAVING_TURNS;
        if (isOnBattery && turn !== 0) return;
        host.check().then(onChecked, (error) => log.error('panel check failed', { error }));
      }, CHECK_MS);
    },
    stop: () => clearInterval(timer),
  };
}
