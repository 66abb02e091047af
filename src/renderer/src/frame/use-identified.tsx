// What a text pasted into the palette is, as the panel identifies it: a user's link or credential, an API key, a request id.
import { IconKey, IconLinkOff, IconReceipt, IconScript, IconStethoscope, type TablerIcon } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../contract/table.ts';
import { useOperation } from '../data/use-operation.ts';
import { showHidden } from '../format/show-hidden.ts';
import { buildHash } from '../router/route.ts';
import { navigate } from '../router/router.ts';

export interface Identified {
  readonly id: string;
  readonly icon: TablerIcon;
  readonly label: string;
  /** Shown beside the label. */
  readonly hint: string;
  run(): void;
}

/** Shorter texts are typed searches, which the list of users answers. */
const LEAST = 3;

export function useIdentified(text: string): readonly Identified[] {
  const { t } = useTranslation(['users', 'sales']);
  const { data } = useOperation('identify', { text: text || '-' }, { enabled: text.length >= LEAST, staleMs: 0 });
  if (data === undefined || text.length < LEAST) return [];
  return [
    ...listIdentified(t, data),
    ...listOrders(t, data),
    ...listKeys(t, data),
    ...listRequests(t, data),
    ...listNotFound(t, data),
  ];
}

type T = ReturnType<typeof useTranslation<['users', 'sales']>>['t'];
type Answer = Output<'identify'>;

function listIdentified(t: T, { kind, user }: Answer): readonly Identified[] {
  if (user === null || kind === 'unknown' || kind === 'key' || kind === 'request') return [];
  const { id, name } = user;
  return [
    {
      id: `diagnose ${id}`,
      icon: IconStethoscope,
      label: t('users:diagnosis.found.why', { name: showHidden(name) }),
      hint: t(`users:diagnosis.found.${kind}`),
      run: () => navigate(buildHash(['users', id], { do: 'diagnose' })),
    },
  ];
}

function listOrders(t: T, { order, user }: Answer): readonly Identified[] {
  if (order === null) return [];
  const { id, state, user_name } = order;
  return [
    {
      id: `pasted order ${id}`,
      icon: IconReceipt,
      label: t('users:diagnosis.found.orderOf', { id, name: showHidden(user_name) }),
      hint: t(`sales:order.state.${state}`),
      run: () => navigate(user === null ? buildHash(['sales', 'orders']) : buildHash(['users', user.id])),
    },
  ];
}

function listKeys(t: T, { keys }: Answer): readonly Identified[] {
  return keys.map(({ id, name, prefix }) => ({
    id: `pasted key ${id}`,
    icon: IconKey,
    label: t('users:diagnosis.found.key', { name: showHidden(name) }),
    hint: prefix,
    run: () => navigate(buildHash(['settings', 'security', 'api'])),
  }));
}

function listRequests(t: T, { entries }: Answer): readonly Identified[] {
  return entries.map(({ id, action, target }) => ({
    id: `pasted request ${id}`,
    icon: IconScript,
    label: t('users:diagnosis.found.request', { action }),
    hint: target ?? '',
    run: () => navigate(buildHash(['audit', id])),
  }));
}

/** A secret without a record is reported too: it was replaced, or belongs to another panel. */
function listNotFound(t: T, { kind, user, keys, entries }: Answer): readonly Identified[] {
  const isFound = user !== null || keys.length > 0 || entries.length > 0;
  if (isFound || kind === 'unknown' || kind === 'order' || kind === 'contact' || kind === 'name' || kind === 'id')
    return [];
  const label = t(`users:diagnosis.found.nothing.${kind}`);
  return [{ id: `nothing ${kind}`, icon: IconLinkOff, label, hint: '', run: () => undefined }];
}
