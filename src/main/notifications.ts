// System notifications for events that need attention while the window is not focused; a click opens the page concerned.
import type { Notification } from 'electron';
import type { Event } from '../contract/event-types.ts';
import type { Core } from '../core/kernel/core.ts';
import type { Call } from '../core/ports/call.ts';
import type { DesktopTexts } from '../i18n/host.ts';

export interface NotificationContent {
  readonly title: string;
  readonly body: string;
  /** The page that a click opens. */
  readonly hash: string;
}

/** The notification for an event; null if the event needs none. `name`: the name of the user or node that it concerns. */
export function describeEvent({ type, data }: Event, t: DesktopTexts, name: () => string): NotificationContent | null {
  const body = t('openIt');
  switch (type) {
    case 'node.down':
      return { title: t('nodeDown', { name: name() }), body, hash: `#/nodes/${data.node_id}` };
    case 'node.up':
      return { title: t('nodeUp', { name: name() }), body, hash: `#/nodes/${data.node_id}` };
    case 'user.limited':
      return { title: t('userLimited', { name: name() }), body, hash: `#/users/${data.user_id}` };
    case 'backup.failed':
      return { title: t('backupFailed'), body: data.reason || body, hash: '#/settings/backups' };
    case 'backup.late':
      return { title: t('backupLate'), body, hash: '#/settings/backups' };
    case 'certificate.failed':
      return { title: t('certificateFailed'), body, hash: '#/settings/certificates' };
    case 'certificate.ending':
      return { title: t('certificateEnding'), body, hash: '#/settings/certificates' };
    case 'certificate.authority_replaced':
      return { title: t('authorityReplaced'), body, hash: '#/settings/certificates' };
    case 'node.certificate_failed':
      return { title: t('nodeCertificateFailed', { name: name() }), body, hash: `#/nodes/${data.node_id}` };
    case 'node.certificate_ending':
      return { title: t('nodeCertificateEnding', { name: name() }), body, hash: `#/nodes/${data.node_id}` };
    case 'provider.failed':
      return { title: t('providerFailed', { name: name() }), body, hash: `#/settings/payments/${data.provider_id}` };
    case 'webhook.disabled':
      return { title: t('webhookDisabled'), body, hash: '#/settings/security/webhooks' };
    case 'user.created':
    case 'user.changed':
    case 'user.extended':
    case 'user.shortened':
    case 'user.expiring':
    case 'user.expired':
    case 'user.traffic_low':
    case 'user.concurrent_exceeded':
    case 'user.moved_after_cut':
    case 'user.activated':
    case 'user.reset':
    case 'user.reissued':
    case 'user.granted':
    case 'user.grant_ended':
    case 'user.enabled':
    case 'user.disabled':
    case 'user.deleted':
    case 'user.first_connected':
    case 'tariff.created':
    case 'tariff.changed':
    case 'tariff.deleted':
    case 'inbound.created':
    case 'inbound.changed':
    case 'inbound.deleted':
    case 'node.created':
    case 'node.changed':
    case 'node.deleted':
    case 'node.restarted':
    case 'node.restored':
    case 'node.traffic_implausible':
    case 'settings.changed':
    case 'certificate.renewed':
    case 'backup.made':
    case 'backup.stored':
    case 'backup.restored':
    case 'panel.superseded':
      return null;
  }
}

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'desktop', access: 'full' },
  requestId: 'notification',
  address: null,
};

/** The name of what an event concerns; most events of users carry its id only: `#<id>` if it has been deleted. Empty if there is none. */
export function readEventName(core: Pick<Core, 'call'>, { data }: Event): string {
  if ('name' in data) return data.name;
  if (!('user_id' in data)) return '';
  const id = data.user_id;
  try {
    return core.call('getUser', { id }, CALL).body.name;
  } catch {
    return `#${id}`;
  }
}

/** At most this many notifications per window of time: many users may reach their limit at once. */
const MAX_PER_WINDOW = 5;
const WINDOW_MS = 60_000;

/** How long the button of a notification silences all of them. */
const QUIET_MS = 3_600_000;

export interface NotifierParts {
  readonly Notification: Pick<typeof Notification, 'isSupported'> & (new (options: object) => Notification);
  readonly now: () => number;
  texts(): DesktopTexts;
  openPage(hash: string): void;
}

/**
 * Shows notifications: each once while it is open, none during the hour after its button asked for quiet, and those above the limit
 * are dropped, since the pages show the same facts.
 */
export function createNotifier({
  Notification: NotificationClass,
  now,
  texts,
  openPage,
}: NotifierParts): (content: NotificationContent) => void {
  const times: number[] = [];
  let quietUntil = 0;
  // Without a reference a notification may be garbage-collected, and its click handler with it.
  const open = new Map<string, Notification>();
  return ({ title, body, hash }) => {
    const present = now();
    while (times[0] !== undefined && times[0] <= present - WINDOW_MS) times.shift();
    const name = `${hash} ${title}`;
    if (present < quietUntil || open.has(name)) return;
    if (times.length >= MAX_PER_WINDOW || !NotificationClass.isSupported()) return;
    times.push(present);
    const t = texts();
    // Buttons are shown by macOS and Windows only; elsewhere a click does what the first one does.
    const acts = [
      { label: t('openNow'), run: () => openPage(hash) },
      {
        label: t('quietForAnHour'),
        run: () => {
          quietUntil = now() + QUIET_MS;
        },
      },
    ];
    const actions = acts.map(({ label }) => ({ type: 'button', text: label }));
    const notification = new NotificationClass({ title, body, actions });
    open.set(name, notification);
    notification.on('click', () => {
      open.delete(name);
      openPage(hash);
    });
    notification.on('action', ({ actionIndex }) => {
      open.delete(name);
      acts[actionIndex]?.run();
    });
    notification.on('close', () => open.delete(name));
    notification.show();
  };
}
