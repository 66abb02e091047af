// The badge on the application's icon in the dock or taskbar: the number of the panel's issues in the overview.
import type { App, NativeImage, nativeImage } from 'electron';
import type { Output } from '../contract/table.ts';
import type { Core } from '../core/kernel/core.ts';
import type { Call } from '../core/ports/call.ts';
import { type Attention, computeAttention } from '../domain/sales/attention.ts';

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'desktop', access: 'full' },
  requestId: 'badge',
  address: null,
};
const PAGE = 500;
/** Whether an issue is counted: those that the administrator can solve. Some terms always end soon, and the first steps are on the first page. */
const IS_COUNTED: { readonly [Kind in Attention['kind']]: boolean } = {
  clock: true,
  'node-down': true,
  'node-certificate': true,
  certificate: true,
  'import-damaged': true,
  authority: true,
  provider: true,
  acme: true,
  backup: true,
  'backup-away': true,
  'backup-place': true,
  update: true,
  'sign-ins': true,
  keys: true,
  'no-nodes': false,
  'no-plans': false,
  expiring: false,
  limited: false,
};

function allNodes(core: Pick<Core, 'call'>): Output<'listNodes'> {
  const first = core.call('listNodes', { limit: PAGE, offset: 0 }, CALL).body;
  const items = [...first.items];
  for (let cursor = first.next_cursor; cursor !== null; ) {
    const next = core.call('listNodes', { limit: PAGE, offset: 0, cursor }, CALL).body;
    items.push(...next.items);
    cursor = next.next_cursor;
  }
  return { ...first, items };
}

/** The number of issues; 0 without an administrator, or if the panel cannot be read. `now`: epoch ms. */
export function countAttention(core: Pick<Core, 'call' | 'local'>, now: number): number {
  try {
    if (!core.local.isSetUp()) return 0;
    const all = computeAttention({
      clock: core.call('getClock', {}, CALL).body,
      overview: core.call('getOverview', {}, CALL).body,
      nodes: allNodes(core),
      plans: undefined,
      certificates: core.call('getCertificates', {}, CALL).body,
      acme: core.call('getAcme', {}, CALL).body,
      backups: core.call('listBackups', {}, CALL).body,
      places: core.call('listBackupPlaces', {}, CALL).body,
      updates: core.call('getUpdates', {}, CALL).body,
      failures: core.call('getFailedAttempts', {}, CALL).body,
      providers: core.call('listProviders', {}, CALL).body,
      now,
    });
    return all.filter(({ kind }) => IS_COUNTED[kind]).length;
  } catch {
    return 0;
  }
}

/** A red dot, 16 by 16. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAd0lEQVR42mN4YGjIgAULA3EwENdDcTBUDEMtNo3zgfg3EP9Hw7+hcsK4DFAH4udYNKLj51C1KAYIE6kZ2RBhZAPmk6AZhufDDBDG4WdCGKRHmAEawv/JxMEM0Ggi14B6qhhAsRcoDkSKo5EqCYnipEyVzERWdgYAthXx4CcMC5sAAAAASUVORK5CYII=';

export interface BadgeParts {
  readonly app: Pick<App, 'setBadgeCount'>;
  readonly nativeImage: Pick<typeof nativeImage, 'createFromDataURL'>;
  readonly platform: NodeJS.Platform;
  /** Sets the overlay of the window's taskbar button, on Windows only; null removes it. */
  setOverlay(image: NativeImage | null, description: string): void;
}

/** Shows a count; 0: none. On Windows a dot, since the overlay has no room for a number; `description` is for screen readers. */
export function createBadge({
  app,
  nativeImage: images,
  platform,
  setOverlay,
}: BadgeParts): (count: number, description: string) => void {
  if (platform === 'win32') {
    const dot = images.createFromDataURL(`data:image/png;base64,${DOT}`);
    return (count, description) => setOverlay(count > 0 ? dot : null, description);
  }
  let shown = 0;
  return (count) => {
    if (count === shown) return;
    shown = count;
    app.setBadgeCount(count);
  };
}
