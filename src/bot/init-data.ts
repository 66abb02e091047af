// The person who has opened the Mini App, as Telegram signs it with the bot's token.
// https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseForeignJson } from '../domain/foreign-json.ts';

/** How long the signed data is accepted after the Mini App was opened: a reload of the page sends the same data. */
const LIFE_MS = 3_600_000;
/** Telegram's clock may be ahead of this one. */
const AHEAD_MS = 60_000;
const MAX_LENGTH = 4096;
const BOUNDS = { bytes: MAX_LENGTH, values: 100, depth: 8 };

export type InitData = { readonly telegramId: number } | 'forged' | 'ended';

/** `text`: the fields as a query string, as Telegram passed them to the page. */
export function readInitData(text: string, token: string, now: number): InitData {
  if (text.length > MAX_LENGTH) return 'forged';
  const fields = [...new URLSearchParams(text)];
  const names = fields.map(([name]) => name);
  // Parsers differ on which of two equal fields counts.
  if (new Set(names).size !== names.length) return 'forged';
  const given = new Map(fields);
  const hash = given.get('hash') ?? '';
  if (!/^[0-9a-f]{64}$/.test(hash)) return 'forged';
  const checked = fields
    .filter(([name]) => name !== 'hash')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const key = createHmac('sha256', 'WebAppData').update(token).digest();
  const expected = createHmac('sha256', key).update(checked).digest();
  if (!timingSafeEqual(expected, Buffer.from(hash, 'hex'))) return 'forged';
  const telegramId = idIn(given.get('user') ?? '');
  const openedAt = Number(given.get('auth_date') ?? Number.NaN) * 1000;
  if (telegramId === null || !Number.isSafeInteger(openedAt)) return 'forged';
  return openedAt > now - LIFE_MS && openedAt < now + AHEAD_MS ? { telegramId } : 'ended';
}

function idIn(user: string): number | null {
  try {
    const { id } = parseForeignJson(user, BOUNDS) as { readonly id?: unknown };
    return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
  } catch {
    return null;
  }
}
