// What Telegram signs for who opens the Mini App of the fake bot.
import { createHmac } from 'node:crypto';
import { BOT_TOKEN } from './bot-api.ts';

/** The public name under which a panel with a Mini App is reached. */
export const APP_NAME = 'links.gatehouse-demo.org';

/** What the process of a browser test says. */
export interface MiniAppPanel {
  /** Under its public name, which leads to this machine's port. */
  readonly address: string;
  readonly good: string;
  /** Of two hours ago. */
  readonly old: string;
}

/** As Telegram gives it to the page. */
export function initData(id: number, openedAt: number, token = BOT_TOKEN): string {
  const fields: [string, string][] = [
    ['auth_date', String(Math.floor(openedAt / 1000))],
    ['query_id', 'AAE'],
    ['user', JSON.stringify({ id, first_name: 'Anna' })],
  ];
  const key = createHmac('sha256', 'WebAppData').update(token).digest();
  const text = fields.map(([name, value]) => `${name}=${value}`).join('\n');
  return String(new URLSearchParams([...fields, ['hash', createHmac('sha256', key).update(text).digest('hex')]]));
}
