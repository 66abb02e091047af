// Previews the first users of a bulk before and after, with the rules of the bulk and without writing.

import type { Input, Output } from '../../contract/table.ts';
import { MAX_PREVIEWED, MAX_SHOWN, type PreviewRow, type PreviewSide } from '../../contract/users/bulk-preview.ts';
import { trafficRemaining, usedBytes } from '../../domain/users/account.ts';
import type { Context } from '../kernel/context.ts';
import { toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { UserRow } from '../ports/users.ts';
import { getBulkAction, listTargetIds, planChange } from './bulk.ts';
import { forecastRow, openUser } from './change.ts';

function toPreviewSide(row: UserRow): PreviewSide {
  const { trafficLimit, extra } = row;
  const used = usedBytes(row);
  return {
    state: row.state,
    expires_at: toInstantOrNull(row.expiresAt),
    hold: row.hold,
    used,
    traffic_remaining: trafficRemaining({ trafficLimit, used, extra }),
    traffic_extra: extra,
    tariff_id: row.tariffId,
    tags: [...row.tags],
    inbounds: row.inbounds && [...row.inbounds],
  };
}

/** The result for one user. */
type Preview = (stored: UserRow) => PreviewRow;

function previewFor(input: Input<'previewBulk'>, context: Context): Preview {
  const { action } = input;
  if (action === 'delete') {
    return (stored) => {
      const before = toPreviewSide(openUser(context, stored).row);
      return { id: stored.id, name: stored.name, outcome: 'changed', counter: 'kept', before, after: null };
    };
  }
  const userAction = getBulkAction(action, input, context);
  return (stored) => {
    const { current, result, change } = planChange(userAction, stored, context);
    const before = toPreviewSide(current.row);
    const after = change && toPreviewSide(forecastRow(context, current, change));
    const counter = after && after.used < before.used ? 'begins_again' : 'kept';
    return { ...result, name: stored.name, counter, before, after };
  };
}

export function previewBulk(input: Input<'previewBulk'>, context: Context): Result<Output<'previewBulk'>> {
  return context.store.read(() => {
    const rows = context.store.users.rows(listTargetIds(input, context).slice(0, MAX_PREVIEWED));
    const previews = rows.map(previewFor(input, context));
    const again = previews.filter(({ counter }) => counter === 'begins_again').length;
    return { body: { previewed: rows.length, begin_again: again, items: previews.slice(0, MAX_SHOWN) } };
  });
}
