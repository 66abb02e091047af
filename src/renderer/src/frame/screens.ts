// The screens of the panel: address, lazy import and position in the navigation. A new screen is a new entry here.
import {
  IconHistory,
  IconLayoutDashboard,
  IconPlugConnected,
  IconReceipt,
  IconServer2,
  IconSettings,
  IconStack2,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

type ScreenId = 'overview' | 'users' | 'plans' | 'sales' | 'connections' | 'nodes' | 'audit' | 'settings';

export interface Screen {
  /** The first segment of its address; its name is `frame:nav.<id>`. */
  readonly id: ScreenId;
  readonly icon: TablerIcon;
  /** The key that opens it after `g`, from anywhere. */
  readonly key: string;
  readonly component: LazyExoticComponent<ComponentType>;
  /** Preloads it, as when the pointer approaches its link. */
  load(): unknown;
}

function screen<Name extends string>(
  id: ScreenId,
  icon: TablerIcon,
  key: string,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): Screen {
  return { id, icon, key, load, component: lazy(async () => ({ default: (await load())[name] })) };
}

export const SCREENS: readonly Screen[] = [
  screen('overview', IconLayoutDashboard, 'o', () => import('../features/overview/overview-page.tsx'), 'OverviewPage'),
  screen('users', IconUsers, 'u', () => import('../features/users/users-page.tsx'), 'UsersPage'),
  screen('plans', IconStack2, 'p', () => import('../features/plans/plans-page.tsx'), 'PlansPage'),
  screen('sales', IconReceipt, 'b', () => import('../features/sales/sales-page.tsx'), 'SalesPage'),
  screen(
    'connections',
    IconPlugConnected,
    'c',
    () => import('../features/connections/connections-page.tsx'),
    'ConnectionsPage',
  ),
  screen('nodes', IconServer2, 'n', () => import('../features/nodes/nodes-page.tsx'), 'NodesPage'),
  screen('audit', IconHistory, 'a', () => import('../features/audit/audit-page.tsx'), 'AuditPage'),
  screen('settings', IconSettings, 's', () => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
];

/** The screens in a phone's bar; the others are behind "More". */
export const BAR_SCREENS: ReadonlySet<ScreenId> = new Set(['overview', 'users', 'sales', 'nodes']);

/** The page that confirms a new listening address; not part of the navigation. */
const CONFIRM = lazy(async () => ({
  default: (await import('../features/settings/addresses/confirm-page.tsx')).ConfirmPage,
}));

/** The page of a record's own window. */
export const RECORD = lazy(async () => ({
  default: (await import('../features/users/record/user-window.tsx')).UserWindow,
}));

/** The screen of an empty path. */
const HOME: ScreenId = 'overview';

export function findScreen(path: readonly string[]): Screen | undefined {
  const id = path[0] ?? HOME;
  return SCREENS.find((one) => one.id === id);
}

/** The component of a path: a screen, or a page that is not in the navigation. */
export function findContent(path: readonly string[]): LazyExoticComponent<ComponentType> | undefined {
  return path[0] === 'confirm' ? CONFIRM : findScreen(path)?.component;
}
