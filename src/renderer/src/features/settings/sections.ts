// The sections of the settings: where each is and how it is loaded.
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
  | 'updates'
  | 'desktop';

export interface Section {
  /** Its name is `settings:sections.<id>`. */
  readonly id: SectionId;
  /** Its address behind `settings`. */
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
  section(['updates'], () => import('./updates/updates-section.tsx'), 'UpdatesSection'),
];

/** The sections that a host has: the desktop has one of its own. */
export function listSections(host: HostApi['kind']): readonly Section[] {
  return host === 'desktop' ? [...SECTIONS, DESKTOP] : SECTIONS;
}

/** The section of a path behind `settings`: the one whose address it begins with; the first where there is none. */
export function findSection(sections: readonly Section[], path: readonly string[]): Section {
  const matches = sections.filter((one) => one.path.every((segment, index) => path[index] === segment));
  return matches.reduce((best, one) => (one.path.length > best.path.length ? one : best), matches[0] ?? GENERAL);
}

/** The documentation behind a path, which fills the whole screen; null: it is a section. */
export function findDocumentation(path: readonly string[]): 'api' | 'guides' | null {
  if (path.slice(0, 3).join('/') === 'security/api/docs') return 'api';
  return path.slice(0, 2).join('/') === 'payments/guides' ? 'guides' : null;
}
