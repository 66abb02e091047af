// Texts of audit entries about a user.
import type { TFunction } from 'i18next';
import type { AuditEntry } from '../../../../../contract/access/audit.ts';
import { STARS } from '../../../../../contract/currencies.ts';
import type { BulkAction } from '../../../../../contract/users/user-acts.ts';
import type { UserPatch } from '../../../../../contract/users/users.ts';
import type { audit } from '../../../../../i18n/en/pages/audit.ts';
import { type ReadOptions, useOperation } from '../../../data/use-operation.ts';
import type { Format } from '../../../format/format.ts';
import { formatPrice } from '../../../format/price.ts';
import type { Plans } from '../use-plans.ts';

type T = TFunction<['users', 'audit']>;
type ActionId = keyof (typeof audit)['action'];

type Field = keyof UserPatch;

/** A field's new value if it is short, else ''. In the order of the sentence. */
const FIELDS: { readonly [Name in Field]-?: (value: unknown, format: Format, plans: Plans, t: T) => string } = {
  name: readText,
  contact: readText,
  note: () => '',
  tags: (value) => (Array.isArray(value) ? value.join(', ') : ''),
  external_id: readText,
  telegram_id: (value) => (typeof value === 'number' ? String(value) : ''),
  metadata: () => '',
  enabled: () => '',
  tariff_id: (value, _format, plans) => plans.getPlanName(typeof value === 'number' ? value : null),
  expires_at: (value, format, _plans, t) => (typeof value === 'string' ? format.moment(value) : t('term.never')),
  traffic_limit: (value, format) => (typeof value === 'number' ? format.bytes(value) : '∞'),
  reset_strategy: () => '',
  device_limit: (value) => (typeof value === 'number' ? String(value) : '∞'),
  concurrent_limit: (value) => (typeof value === 'number' ? String(value) : '∞'),
  inbounds: () => '',
};

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The actor of an entry. */
export function describeActor(t: T, { actor }: AuditEntry): string {
  if (actor.kind === 'key') return t('history.byKey', { name: actor.name });
  if (actor.kind === 'cli') return t('history.byCli');
  if (actor.kind === 'panel') return t('history.byPanel');
  return actor.name === '' ? t('history.byUnknown') : actor.name;
}

/** The entry by which the user was last disabled, among entries that start with the newest; undefined: not among them. */
export function disabledBy(entries: readonly AuditEntry[]): AuditEntry | undefined {
  const last = entries.find((entry) => entry.outcome === 'done' && enabledBy(entry) !== undefined);
  return last !== undefined && enabledBy(last) === false ? last : undefined;
}

/** Whether the entry enabled or disabled the user; undefined: neither. */
function enabledBy({ action, detail }: AuditEntry): boolean | undefined {
  if (action === 'bulkUsers') {
    return detail.action === 'enable' ? true : detail.action === 'disable' ? false : undefined;
  }
  if (action !== 'updateUser' && action !== 'createUser') return undefined;
  return typeof detail.enabled === 'boolean' ? detail.enabled : undefined;
}

/** A bulk action from the view of one of its users, with the number of the others. */
function describeBulk(t: T, format: Format, plans: Plans, { detail }: AuditEntry): string {
  const others = (Number(detail.affected) || 1) - 1;
  const what = describeBulkAct(t, format, plans, detail);
  return others > 0 ? t('history.withOthers', { what, count: others }) : what;
}

function describeBulkAct(t: T, format: Format, plans: Plans, detail: AuditEntry['detail']): string {
  const tags = Array.isArray(detail.tags) ? detail.tags.join(', ') : '';
  switch (detail.action as BulkAction) {
    case 'extend':
      return t('history.act.extendUser', { term: format.term(readTerm(detail)) });
    case 'reset':
      return t('history.act.resetUserTraffic');
    case 'enable':
      return t('history.act.enabled');
    case 'disable':
      return t('history.act.disabled');
    case 'delete':
      return t('history.act.deleteUser');
    case 'grant':
      return t('history.act.createGrant', { amount: format.bytes(Number(detail.bytes) || 0) });
    case 'set_tariff':
      return t('history.act.setTariff', { plan: plans.getPlanName(Number(detail.tariff_id) || null) });
    case 'add_tags':
      return t('history.act.addTags', { tags });
    case 'remove_tags':
      return t('history.act.removeTags', { tags });
    case 'set_inbounds':
      return t('history.act.setInbounds');
    case 'move_inbounds':
      return t('history.act.moveInbounds');
  }
}

/** The action's text; falls back to the audit log's text, and for an unknown action to its operation id. */
export function describeAct(t: T, format: Format, plans: Plans, entry: AuditEntry): string {
  const { action, detail } = entry;
  // A referral reward: days for the user who referred the buyer, or their revocation.
  if (detail.referral === true)
    return t(`history.act.${detail.days === undefined ? 'referralBack' : 'referral'}`, { id: String(detail.order_id) });
  switch (action) {
    case 'putUser':
    case 'updateUser': {
      const changed = (Object.keys(FIELDS) as Field[]).filter((field) => field in detail);
      if (changed.length === 1 && changed[0] === 'enabled') {
        return t(detail.enabled === true ? 'history.act.enabled' : 'history.act.disabled');
      }
      const what = changed.map((field) => {
        const value = FIELDS[field](detail[field], format, plans, t);
        return value === '' ? t(`history.field.${field}`) : `${t(`history.field.${field}`)} → ${value}`;
      });
      return t(`history.act.${action}`, { what: what.join(', ') });
    }
    case 'extendUser':
      return t('history.act.extendUser', { term: format.term(readTerm(detail)) });
    case 'shortenUser':
      return t('history.act.shortenUser', { term: format.term(readTerm(detail)) });
    case 'createGrant':
      return t('history.act.createGrant', { amount: format.bytes(Number(detail.bytes) || 0) });
    case 'recordPayment':
      return t('history.act.recordPayment', {
        amount: formatEntryPrice(detail, format),
        offer: readText(detail.offer),
      });
    case 'takePayment':
      return t(detail.reason === undefined ? 'history.act.recordPayment' : 'history.act.takePaymentUndecided', {
        amount: formatEntryPrice(detail, format),
        offer: readText(detail.offer),
      });
    case 'createOrder':
      return detail.trial === true
        ? t('history.act.takeTrial', { offer: readText(detail.offer) })
        : t('history.act.createOrder', { id: String(detail.order_id) });
    case 'openOrder':
    case 'askOrder':
      return t(`history.act.${action}`, { id: String(detail.order_id) });
    case 'setPromo':
      return detail.promo === null
        ? t('history.act.removePromo', { id: String(detail.order_id) })
        : t('history.act.setPromo', { id: String(detail.order_id), code: readText(detail.promo) });
    case 'resolvePayment':
      return t('history.act.resolvePayment', { amount: formatEntryPrice(detail, format) });
    case 'refundOrder':
      return t('history.act.refundOrder', { amount: formatEntryPrice(detail, format), id: String(detail.order_id) });
    case 'bulkUsers':
      return describeBulk(t, format, plans, entry);
    case 'undoActs':
      return t('history.act.undoActs');
    case 'decideBotRequest':
    case 'createUsers':
      return t('history.act.createUser');
    case 'createUser':
    case 'deleteUser':
    case 'resetUserTraffic':
    case 'reissueUser':
    case 'deleteGrant':
      return t(`history.act.${action}`);
    default:
      return t(`audit:action.${action as ActionId}`, { defaultValue: action });
  }
}

function formatEntryPrice({ amount, currency }: AuditEntry['detail'], { locale }: Format): string {
  return formatPrice({ amount: Number(amount) || 0, currency: readText(currency) || STARS }, locale);
}

function readTerm({ months, days }: AuditEntry['detail']): { months?: number; days?: number } {
  return typeof months === 'number' ? { months } : { days: Number(days) || 0 };
}

/** Entries shown first; more on request. */
export const FIRST = 20;

export function useHistory(id: number, options: ReadOptions & { readonly limit?: number } = {}) {
  const { limit = FIRST, ...read } = options;
  return useOperation('listAudit', { target: `user:${id}`, limit }, { keepPrevious: true, ...read });
}
