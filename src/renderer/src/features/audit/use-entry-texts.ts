// The texts of an entry: its action, its actor and a summary of its details.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../../../contract/access/audit.ts';
import { useOperation, useWholeList } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { isKnownAction } from './actions.ts';
import { parseTarget, type Target } from './target.ts';

export interface EntryTexts {
  /** "Extended a user" */
  formatAction(action: string): string;
  /** The title of an entry, such as "Tried to sign in" if that was refused. */
  formatTitle(entry: Pick<AuditEntry, 'action' | 'outcome'>): string;
  /** The name of the administrator or key, else the kind of actor. */
  formatActor(actor: AuditEntry['actor']): string;
  /** The most important detail of the request: "1 month". '' if there is none. */
  formatSummary(entry: AuditEntry): string;
  /** The kind of a record and its number: "User 7". */
  describeTarget(target: Target): string;
  /** A record's name, if it is loaded; users' are not. */
  findName(entry: Pick<AuditEntry, 'target' | 'detail' | 'action'>): string | null;
}

const CHANGES = /^update(?:User|Tariff|Inbound|Node|Settings)$/;
const FRESH_MS = 5 * 60_000;

export function useEntryTexts(): EntryTexts {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const plans = useWholeList('listTariffs', {});
  const connections = useWholeList('listInbounds', {});
  const nodes = useWholeList('listNodes', {});
  const keys = useOperation('listKeys', {}, { staleMs: FRESH_MS });
  return useMemo(() => {
    const lists = {
      tariff: plans.data?.items,
      inbound: connections.data?.items,
      node: nodes.data?.items,
      key: keys.data?.items,
    } as const;
    const names = new Map<string, string>(
      Object.entries(lists).flatMap(([kind, items]) =>
        (items ?? []).map(({ id, name }) => [`${kind}:${id}`, name] as const),
      ),
    );
    const formatAction: EntryTexts['formatAction'] = (action) =>
      isKnownAction(action) ? t(`action.${action}`) : action;
    return {
      formatAction,
      formatTitle: ({ action, outcome }) =>
        action === 'signIn' && outcome === 'refused' ? t('triedSignIn') : formatAction(action),
      formatActor: ({ kind, name }) =>
        kind === 'administrator' || kind === 'key' || kind === 'bot' ? name : t(`actor.${kind}`),
      formatSummary({ action, detail }) {
        const { months, days, bytes, affected, restored } = detail;
        const term = { ...(typeof months === 'number' && { months }), ...(typeof days === 'number' && { days }) };
        if (action === 'bulkUsers' && typeof affected === 'number') {
          return `${t(`bulk.${detail.action as 'extend'}`)}: ${t('users', { count: affected })}`;
        }
        if (action === 'undoActs' && typeof restored === 'number') return t('users', { count: restored });
        if (action === 'createGrant' && typeof bytes === 'number') return format.bytes(bytes);
        if ((action === 'extendUser' || action === 'shortenUser') && Object.keys(term).length > 0)
          return format.term(term);
        return CHANGES.test(action) ? Object.keys(detail).join(', ') : '';
      },
      // There is only one administrator, so the id is not shown.
      describeTarget: ({ kind, id }) =>
        id === '' || kind === 'administrator' ? t(`target.${kind}`) : `${t(`target.${kind}`)} ${id}`,
      findName({ target, detail, action }) {
        if (target === null) return null;
        const known = names.get(target);
        if (known !== undefined) return known;
        const made = /^(?:create|delete)/.test(action) && parseTarget(target)?.kind !== 'backup';
        return made && typeof detail.name === 'string' ? detail.name : null;
      },
    };
  }, [t, format, plans.data, connections.data, nodes.data, keys.data]);
}
