// System messages for what must not wait until somebody looks: each leads to its place in the pages.
import type { Notification } from 'electron';
import type { LiveEvent } from '../core/call.ts';
import type { DesktopTexts } from '../i18n/host.ts';

export interface Notice {
  readonly title: string;
  readonly body: string;
  /** Where a press leads. */
  readonly hash: string;
}

/** The message of an event; null for what can wait. `subject`: the name of what it is about. */
export function noticeOf({ type, data }: LiveEvent, t: DesktopTexts, subject: () => string): Notice | null {
  const body = t('openIt');
  if (type === 'node.down') return { title: t('nodeDown', { name: subject() }), body, hash: `#/nodes/${data.node_id}` };
  if (type === 'node.up') return { title: t('nodeUp', { name: subject() }), body, hash: `#/nodes/${data.node_id}` };
  if (type === 'user.limited') {
    return { title: t('userLimited', { name: subject() }), body, hash: `#/users/${data.user_id}` };
  }
  if (type === 'backup.failed')
    return { title: t('backupFailed'), body: data.name || body, hash: '#/settings/backups' };
  return null;
}

/** A burst (many users at their limit at once) becomes so many messages in this time, no more. */
const MOST = 5;
const SPAN_MS = 60_000;

export interface NoticeParts {
  readonly Notification: Pick<typeof Notification, 'isSupported'> & (new (options: object) => Notification);
  readonly now: () => number;
  go(hash: string): void;
}

/** Shows notices; what is too much at once is left to the pages. */
export function createNotifier({ Notification: NotificationClass, now, go }: NoticeParts): (notice: Notice) => void {
  const times: number[] = [];
  // A message that nobody holds may be collected, and its press with it.
  const held = new Set<Notification>();
  return ({ title, body, hash }) => {
    const present = now();
    while (times[0] !== undefined && times[0] <= present - SPAN_MS) times.shift();
    if (times.length >= MOST || !NotificationClass.isSupported()) return;
    times.push(present);
    const shown = new NotificationClass({ title, body });
    held.add(shown);
    shown.on('click', () => {
      held.delete(shown);
      go(hash);
    });
    shown.on('close', () => held.delete(shown));
    shown.show();
  };
}
