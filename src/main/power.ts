// Sleep of the computer: on waking the panel catches up, and a message describes the sleep.
import type { PowerMonitor } from 'electron';
import type { Core } from '../core/kernel/core.ts';
import type { DesktopTexts } from '../i18n/host.ts';
import type { NotificationContent } from './notifications.ts';

/** What the wake-up message needs of a panel. */
export interface SleepingPanel {
  readonly core: Pick<Core, 'latestEventId' | 'eventsAfter'>;
  readonly log: { info(event: string, fields?: object): void };
  wake(): Promise<void>;
}

export interface SleepParts {
  readonly powerMonitor: Pick<PowerMonitor, 'on'>;
  /** null while none is open. */
  panel(): SleepingPanel | null;
  now(): number;
  texts(): DesktopTexts;
  notify(content: NotificationContent): void;
  onFailed(error: unknown): void;
}

const MINUTE_MS = 60_000;
/** More events than this are not counted one by one. */
const MAX_EVENTS = 5000;

/** Call once the application is ready. */
export function followSleep({ powerMonitor, panel, now, texts, notify, onFailed }: SleepParts): void {
  let asleep: { readonly at: number; readonly eventId: number } | null = null;

  async function wake(since: { readonly at: number; readonly eventId: number }): Promise<void> {
    const open = panel();
    if (open === null) return;
    await open.wake();
    const sleptMs = now() - since.at;
    const events = open.core.eventsAfter(since.eventId, MAX_EVENTS) ?? [];
    const count = (type: 'user.expired' | 'user.limited') => events.filter((event) => event.type === type).length;
    const [expired, limited] = [count('user.expired'), count('user.limited')];
    open.log.info('computer slept', { ms: sleptMs, expired, limited });
    if (sleptMs < MINUTE_MS && expired + limited === 0) return;
    const t = texts();
    const lines = [
      t('sleptNoAnswers'),
      ...(expired > 0 ? [t('sleptExpired', { count: expired })] : []),
      ...(limited > 0 ? [t('sleptLimited', { count: limited })] : []),
    ];
    notify({ title: t('slept', { time: formatTime(sleptMs, t) }), body: lines.join(' '), hash: '#/overview' });
  }

  powerMonitor.on('suspend', () => {
    const open = panel();
    if (open !== null) asleep = { at: now(), eventId: open.core.latestEventId() };
  });
  powerMonitor.on('resume', () => {
    const since = asleep;
    asleep = null;
    if (since !== null) void wake(since).catch(onFailed);
  });
}

function formatTime(ms: number, t: DesktopTexts): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? t('minutes', { minutes }) : t('hours', { hours, minutes: minutes % 60 });
}
