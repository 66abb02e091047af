// The sections of the settings: the route and the component of each.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { HostApi } from '../../../../bridge/host-api.ts';

type SectionId =
  | 'general'
  | 'subscription'
  | 'addresses'
  | 'certificates'
  | 'security'
  | 'api'
  | 'webhooks'
  | 'bot'
  | 'payments'
  | 'backups'
  | 'import'
  | 'updates'
  | 'desktop';

export interface Section {
  /** Its title is the text `settings:sections.<id>`. */
  readonly id: SectionId;
  /** Its route, without the leading `settings`. */
  readonly path: readonly string[];
  readonly component: LazyExoticComponent<ComponentType>;
}

function section<Name extends string>(
  path: readonly [...string[], SectionId],
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): Section {
  const id = path.at(-1) as SectionId;
  return { id, path, component: lazy(async () => ({ default: (await load())[name] })) };
}

const GENERAL = section(['general'], () => import('./general/general-section.tsx'), 'GeneralSection');
const DESKTOP = section(['desktop'], () => import('./desktop/desktop-section.tsx'), 'DesktopSection');

const SECTIONS: readonly Section[] = [
  GENERAL,
  section(['subscription'], () => import('./subscription/subscription-section.tsx'), 'SubscriptionSection'),
  section(['addresses'], () => import('./addresses/addresses-section.tsx'), 'AddressesSection'),
  section(['certificates'], () => import('./certificates/certificates-section.tsx'), 'CertificatesSection'),
  section(['security'], () => import('./security/security-section.tsx'), 'SecuritySection'),
  section(['security', 'api'], () => import('./api/api-section.tsx'), 'ApiSection'),
  section(['security', 'webhooks'], () => import('./webhooks/webhooks-section.tsx'), 'WebhooksSection'),
  section(['bot'], () => import('./bot/bot-section.tsx'), 'BotSection'),
  section(['payments'], () => import('./payments/providers-section.tsx'), 'ProvidersSection'),
  section(['backups'], () => import('./backups/backups-section.tsx'), 'BackupsSection'),
  section(['import'], () => import('./imports/imports-section.tsx'), 'ImportsSection'),
  section(['updates'], () => import('./updates/updates-section.tsx'), 'UpdatesSection'),
];

/** The sections of a host; the desktop has an additional one. */
export function listSections(host: HostApi['kind']): readonly Section[] {
  return host === 'desktop' ? [...SECTIONS, DESKTOP] : SECTIONS;
}

/** The section with the longest route that is a prefix of the path (without `settings`); the first section if there is none. */
export function findSection(sections: readonly Section[], path: readonly string[]): Section {
  const matches = sections.filter((one) => one.path.every((segment, index) => path[index] === segment));
  return matches.reduce((best, one) => (one.path.length > best.path.length ? one : best), matches[0] ?? GENERAL);
}

/** The documentation at a path, which fills the whole screen; null: the path is that of a section. */
export function findDocumentation(path: readonly string[]): 'api' | 'guides' | null {
  if (path.slice(0, 3).join('/') === 'security/api/docs') return 'api';
  return path.slice(0, 2).join('/') === 'payments/guides' ? 'guides' : null;
}
