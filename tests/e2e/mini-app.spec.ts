// The Mini App in a browser: what Telegram puts behind the `#` signs in, leaves the address, and Stars are paid over the page of the order by the
// events that Telegram's apps have for that.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { launchOptions } from '../support/chromium.ts';
import { APP_NAME, type MiniAppPanel } from '../support/init-data.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';

interface TelegramWindow {
  readonly Telegram: {
    readonly WebView: { receiveEvent(type: string, data: { readonly slug: string; readonly status: string }): void };
  };
}

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
    // As the apps of Telegram have it in each page. https://docs.telegram-mini-apps.com/platform/methods
    await page.addInitScript(() => {
      const posted: unknown[] = [];
      Object.assign(window, {
        posted,
        TelegramWebviewProxy: { postEvent: (type: string, data: string) => posted.push([type, data]) },
      });
    });
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
    // Nothing but Stars is sold inside Telegram.
    await expect(page.getByText(/4[.,]99/)).toHaveCount(0);
    await page.locator('button', { hasText: '⭐ 250' }).click();
    await expect(page).toHaveURL(/\/sub\/pay\/[\w-]+\?app$/);
    await expect(page.getByText(/4[.,]99/)).toHaveCount(1);
    await page.locator('form[action*="/XTR"] button').click();
    // The invoice opens by itself, once, and again by its button.
    await expect(page).toHaveURL(/\?app$/);
    const invoice = page.locator('[data-slug]');
    await expect(invoice).toBeVisible();
    await expectAccessible(page, 'an order inside Telegram');
    const slug = (await invoice.getAttribute('data-slug')) ?? '';
    const opened = ['web_app_open_invoice', JSON.stringify({ slug })];
    expect(await page.evaluate('posted')).toEqual([opened]);
    await invoice.click();
    await expect.poll(() => page.evaluate('posted')).toEqual([opened, opened]);
    const close = (status: string, of = slug) =>
      page.evaluate(
        ([given, about]) =>
          (window as unknown as TelegramWindow).Telegram.WebView.receiveEvent('invoice_closed', {
            slug: about ?? '',
            status: given ?? '',
          }),
        [status, of],
      );
    await close('cancelled');
    await close('paid', 'another');
    await expect(page).toHaveURL(/\?app$/);
    await close('paid');
    await expect(page).toHaveURL(/\?app&back$/);
    await expect(page.getByRole('status')).toBeVisible();
    await context.close();
    child.disconnect();
    await once(child, 'exit');
  });
}
