// The registry of actions: row menus, record menus, the bulk bar, the palette and the keys are made from it.
import {
  IconAppWindow,
  IconArchive,
  IconArchiveOff,
  IconArrowsExchange,
  IconBookmarkPlus,
  IconCalendarMinus,
  IconCalendarPlus,
  IconCheck,
  IconCopyPlus,
  IconFileTypePdf,
  IconKey,
  IconKeyboard,
  IconLogin2,
  IconLogout,
  IconLogout2,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconPrinter,
  IconReceipt,
  IconRefresh,
  IconSearch,
  IconServer2,
  IconStack2,
  IconTag,
  IconTagOff,
  IconTemplate,
  IconTrash,
  IconUserOff,
  IconUserPlus,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';

type ActSubject = 'users' | 'plans' | 'connections' | 'nodes' | 'webhooks' | 'frame';

/** What an action applies to: one record, the selected records of a list, the page on screen, or none of them. */
export type ActionContext = 'record' | 'selection' | 'page' | 'everywhere';

interface ActionDefinition {
  readonly subject: ActSubject;
  /** The key of its name in the catalogue. */
  readonly name: string;
  readonly icon: TablerIcon;
  readonly contexts: readonly ActionContext[];
  /** Other words by which the palette finds it: `frame:actWords.<words>`; those of its subject are added. */
  readonly keywords?: 'extend' | 'grant' | 'reissue' | 'make';
  /** Its key, in the notation of `useShortcuts`. */
  readonly keys?: string;
  /** Whether it asks for confirmation, or for the record's name to be typed as well. */
  readonly confirm?: 'confirmation' | 'name';
  /** Its toast offers to undo it. */
  readonly undoable?: true;
  /** A button of the bulk bar; the other bulk actions are behind "More". */
  readonly isButton?: true;
  /** Begins another section of a menu. */
  readonly startsPart?: true;
}

/** In the order of menus. */
export const ACTS = {
  'users.create': {
    subject: 'users',
    name: 'frame:make.users',
    icon: IconUserPlus,
    contexts: ['everywhere'],
    keywords: 'make',
    keys: 'n',
  },
  'users.saveView': { subject: 'users', name: 'users:views.save', icon: IconBookmarkPlus, contexts: ['page'] },
  'users.extend': {
    subject: 'users',
    name: 'users:act.extend',
    icon: IconCalendarPlus,
    keywords: 'extend',
    contexts: ['record', 'selection'],
    keys: 'e',
    undoable: true,
    isButton: true,
  },
  'users.shorten': { subject: 'users', name: 'users:act.shorten', icon: IconCalendarMinus, contexts: ['record'] },
  'users.grant': {
    subject: 'users',
    name: 'users:act.addTraffic',
    icon: IconPlus,
    keywords: 'grant',
    contexts: ['record', 'selection'],
    keys: 't',
  },
  'users.set_tariff': {
    subject: 'users',
    name: 'users:bulk.menu.set_tariff',
    icon: IconTemplate,
    contexts: ['selection'],
  },
  'users.add_tags': { subject: 'users', name: 'users:bulk.menu.add_tags', icon: IconTag, contexts: ['selection'] },
  'users.remove_tags': {
    subject: 'users',
    name: 'users:bulk.menu.remove_tags',
    icon: IconTagOff,
    contexts: ['selection'],
  },
  'users.set_inbounds': {
    subject: 'users',
    name: 'users:bulk.menu.set_inbounds',
    icon: IconPlugConnected,
    contexts: ['selection'],
  },
  'users.move_inbounds': {
    subject: 'users',
    name: 'users:bulk.menu.move_inbounds',
    icon: IconArrowsExchange,
    contexts: ['selection'],
  },
  'users.reset': {
    subject: 'users',
    name: 'users:act.reset',
    icon: IconRefresh,
    contexts: ['record', 'selection'],
    confirm: 'confirmation',
    isButton: true,
  },
  'users.reissue': {
    subject: 'users',
    name: 'users:act.reissue',
    icon: IconKey,
    keywords: 'reissue',
    contexts: ['record'],
    confirm: 'confirmation',
  },
  'users.window': { subject: 'users', name: 'users:act.window', icon: IconAppWindow, contexts: ['record'], keys: 'o' },
  'users.disable': {
    subject: 'users',
    name: 'users:act.disable',
    icon: IconUserOff,
    contexts: ['record', 'selection'],
    undoable: true,
    isButton: true,
    startsPart: true,
  },
  'users.enable': {
    subject: 'users',
    name: 'users:act.enable',
    icon: IconCheck,
    contexts: ['record', 'selection'],
    undoable: true,
    isButton: true,
    startsPart: true,
  },
  'users.delete': {
    subject: 'users',
    name: 'users:act.delete',
    icon: IconTrash,
    contexts: ['record', 'selection'],
    confirm: 'name',
    isButton: true,
  },
  'plans.create': {
    subject: 'plans',
    name: 'frame:make.plans',
    icon: IconStack2,
    contexts: ['everywhere'],
    keywords: 'make',
    keys: 'n',
  },
  'plans.copy': { subject: 'plans', name: 'plans:act.copy', icon: IconCopyPlus, contexts: ['record'], keys: 'd' },
  'plans.offers': { subject: 'plans', name: 'plans:act.offers', icon: IconReceipt, contexts: ['record'] },
  'plans.users': { subject: 'plans', name: 'plans:act.users', icon: IconUsers, contexts: ['record'] },
  'plans.archive': {
    subject: 'plans',
    name: 'plans:act.archive',
    icon: IconArchive,
    contexts: ['record'],
    undoable: true,
    startsPart: true,
  },
  'plans.restore': {
    subject: 'plans',
    name: 'plans:act.restore',
    icon: IconArchiveOff,
    contexts: ['record'],
    undoable: true,
    startsPart: true,
  },
  'plans.delete': {
    subject: 'plans',
    name: 'plans:act.delete',
    icon: IconTrash,
    contexts: ['record'],
    confirm: 'name',
  },
  'connections.create': {
    subject: 'connections',
    name: 'frame:make.connections',
    icon: IconPlugConnected,
    contexts: ['everywhere'],
    keywords: 'make',
    keys: 'n',
  },
  'connections.disable': {
    subject: 'connections',
    name: 'connections:act.disable',
    icon: IconPlayerPause,
    contexts: ['record'],
    undoable: true,
  },
  'connections.enable': {
    subject: 'connections',
    name: 'connections:act.enable',
    icon: IconPlayerPlay,
    contexts: ['record'],
    undoable: true,
  },
  'connections.copy': {
    subject: 'connections',
    name: 'connections:act.copy',
    icon: IconCopyPlus,
    contexts: ['record'],
    keys: 'd',
  },
  'connections.place': {
    subject: 'connections',
    name: 'connections:act.place',
    icon: IconServer2,
    contexts: ['record'],
    confirm: 'confirmation',
  },
  'connections.delete': {
    subject: 'connections',
    name: 'connections:act.delete',
    icon: IconTrash,
    contexts: ['record'],
    confirm: 'name',
    startsPart: true,
  },
  'nodes.create': {
    subject: 'nodes',
    name: 'frame:make.nodes',
    icon: IconServer2,
    contexts: ['everywhere'],
    keywords: 'make',
    keys: 'n',
  },
  'nodes.edit': { subject: 'nodes', name: 'nodes:act.edit', icon: IconPencil, contexts: ['record'], keys: 'e' },
  'nodes.disable': {
    subject: 'nodes',
    name: 'nodes:act.disable',
    icon: IconPlayerPause,
    contexts: ['record'],
    undoable: true,
  },
  'nodes.enable': {
    subject: 'nodes',
    name: 'nodes:act.enable',
    icon: IconPlayerPlay,
    contexts: ['record'],
    undoable: true,
  },
  'nodes.drain': {
    subject: 'nodes',
    name: 'nodes:act.drain',
    icon: IconLogout2,
    contexts: ['record'],
    confirm: 'confirmation',
    undoable: true,
  },
  'nodes.stopDraining': {
    subject: 'nodes',
    name: 'nodes:act.stopDraining',
    icon: IconLogin2,
    contexts: ['record'],
    undoable: true,
  },
  'nodes.connections': {
    subject: 'nodes',
    name: 'nodes:act.connections',
    icon: IconPlugConnected,
    contexts: ['record'],
  },
  'nodes.users': {
    subject: 'nodes',
    name: 'nodes:act.users',
    icon: IconUsers,
    contexts: ['record'],
  },
  'nodes.delete': {
    subject: 'nodes',
    name: 'nodes:act.delete',
    icon: IconTrash,
    contexts: ['record'],
    confirm: 'name',
    startsPart: true,
  },
  'webhooks.edit': {
    subject: 'webhooks',
    name: 'settings:webhooks.record.edit',
    icon: IconPencil,
    contexts: ['record'],
  },
  'webhooks.rotate': {
    subject: 'webhooks',
    name: 'settings:webhooks.rotate.act',
    icon: IconRefresh,
    contexts: ['record'],
    confirm: 'confirmation',
  },
  'webhooks.disable': {
    subject: 'webhooks',
    name: 'settings:webhooks.record.disable',
    icon: IconPlayerPause,
    contexts: ['record'],
  },
  'webhooks.enable': {
    subject: 'webhooks',
    name: 'settings:webhooks.record.enable',
    icon: IconPlayerPlay,
    contexts: ['record'],
  },
  'webhooks.delete': {
    subject: 'webhooks',
    name: 'settings:webhooks.record.delete',
    icon: IconTrash,
    contexts: ['record'],
    confirm: 'confirmation',
    startsPart: true,
  },
  'frame.palette': {
    subject: 'frame',
    name: 'frame:keys.palette',
    icon: IconSearch,
    contexts: ['everywhere'],
    keys: 'mod+k',
  },
  'frame.keys': { subject: 'frame', name: 'frame:keys.title', icon: IconKeyboard, contexts: ['everywhere'], keys: '?' },
  'frame.print': { subject: 'frame', name: 'frame:print', icon: IconPrinter, contexts: ['everywhere'], keys: 'mod+p' },
  'frame.savePdf': { subject: 'frame', name: 'frame:savePdf', icon: IconFileTypePdf, contexts: ['everywhere'] },
  'frame.signOut': { subject: 'frame', name: 'frame:account.signOut', icon: IconLogout, contexts: ['everywhere'] },
} as const satisfies Record<string, ActionDefinition>;

export type ActId = keyof typeof ACTS;

export type Action = Omit<ActionDefinition, 'name'> & {
  readonly id: ActId;
  readonly name: (typeof ACTS)[ActId]['name'];
};

/** All actions, in the order of menus. */
export const ALL_ACTS: readonly Action[] = (Object.keys(ACTS) as ActId[]).map((id) => ({ id, ...ACTS[id] }));

/** What each action does here; actions without an entry are not available. */
export type ActRuns = { readonly [Id in ActId]?: (() => void) | undefined };

/** The available actions, in the order of the registry. */
export function actsIn(runs: ActRuns): readonly (Action & { run(): void })[] {
  return ALL_ACTS.flatMap((act) => {
    const run = runs[act.id];
    return run === undefined ? [] : [{ ...act, run }];
  });
}

/** Whether it deletes: menus and bars show such actions last and in red. */
export function isDeletion(id: ActId): boolean {
  return id.endsWith('.delete');
}
