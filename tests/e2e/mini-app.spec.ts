// The Mini App in a browser: what Telegram puts behind the `#` signs in, leaves the address, and a purchase begins on the page that comes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { launchOptions } from '../support/chromium.ts';
import { APP_NAME, type MiniAppPanel } from '../support/init-data.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';

const PHONE = { width: 390, height: 844 };
const launched = launchOptions();
test.use({
  launchOptions: { ...launched, args: [...launched.args, `--host-resolver-rules=MAP ${APP_NAME} 127.0.0.1`] },
});

const host = join(import.meta.dirname, '..', 'support', 'mini-app-panel.ts');

for (const { locale, theme } of LOOKS) {
  test(`a subscription is opened in Telegram, ${locale}, ${theme}`, async ({ browser }) => {
    const child = fork(host);
    const [{ address, good, old }] = (await once(child, 'message')) as [MiniAppPanel];
    const context = await browser.newContext({ locale, colorScheme: theme, viewport: PHONE });
    const page = await context.newPage();
    await page.goto(address);
    await expect(page.getByText(locale === 'ru' ? 'кнопкой бота' : 'with the button of the bot')).toBeVisible();
    await expectAccessible(page, 'the Mini App outside of Telegram');
    const open = async (data: string) => {
      await page.goto('about:blank');
      await page.goto(`${address}#tgWebAppData=${encodeURIComponent(data)}&tgWebAppVersion=9.1`);
    };
    await open(old);
    await expect(page.getByRole('status')).toContainText(locale === 'ru' ? 'слишком давно' : 'open for too long');
    await open(good);
    await expect(page.locator('.pill.good')).toBeVisible();
    expect(page.url()).toBe(address);
    await expectAccessible(page, 'the Mini App');
    await page.locator('button', { hasText: /4[.,]99/ }).click();
    await expect(page).toHaveURL(/\/sub\/pay\//);
    await expect(page.locator('form[action$="/EUR"] button')).toBeVisible();
    await context.close();
    child.disconnect();
    await once(child, 'exit');
  });
}
