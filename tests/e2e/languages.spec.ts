// Every screen in either language holds no word of the other: what the records hold is named with neither's letters.
import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';
import { everyPlace, makeOneOfEach } from './support/records.ts';

/** What is the same in every language: names of protocols and products, formats, and what machines call themselves. */
const NAMES =
  /\b(?:API|OpenAPI|HTTPS?|X-Forwarded-For|URL|DNS|IPv?[46]?|CSV|JSON|PEM|SHA-256|RSA|TLS|TCP|UDP|REALITY|VLESS|VMess|Trojan|Shadowsocks|WebSocket|gRPC|HTTPUpgrade|XHTTP|SNI|ALPN|UUID|CPU|curl|cacert|gatehouse-ca|pem|privkey|fullchain|subjectAltName|grafana|Chrom(?:e|ium)|HeadlessChrome|Linux|Firefox|Safari|UTC|Ctrl|Shift|Enter|Esc|Tab|Alt|Cmd|Delete|Home|End|Page|PgUp|PgDn|admin|one|vless|https?|tg|mailto|sub|GitHub|iPhone|xtls-rprx-vision|[gG]RPC|localhost|English|Local|CA|server|pnl_\w*|[\w-]+\.example\.(?:net|com)|Europe|Berlin|key-file|h2|http|ws|chrome|xray|Xray|sing-box|Mihomo|Clash|Android|Windows|macOS|Gatehouse|panel|reset-password)\b/g;

/** Every text that a person sees or hears on the page: of nodes, names and placeholders. What is data or code is left out. */
function textsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const isData = (element: Element | null) =>
      element === null ||
      element.closest('code, pre, svg, [lang="en"], [lang="ru"]:not(html), .visually-hidden code') !== null;
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      const hidden = parentElement?.closest('script, style, [hidden]') !== null;
      if (!hidden && !isData(parentElement) && textContent?.trim()) texts.push(textContent.trim());
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      if (isData(element)) continue;
      for (const name of ['aria-label', 'placeholder', 'title']) texts.push(element.getAttribute(name) ?? '');
    }
    return [...new Set(texts)].filter((text) => text !== '');
  });
}

for (const [locale, foreign, name] of [
  ['ru', /[A-Za-z]{2,}/, '第一 2026'],
  ['en', /[А-Яа-яЁё]/, '第一 2026'],
] as const) {
  test.describe(locale, () => {
    test.use({ view: { locale } });
    test('no screen has a word of the other language', async ({ page, own }) => {
      test.setTimeout(180_000);
      const made = await makeOneOfEach(own, name);
      const found: string[] = [];
      for (const place of everyPlace(made)) {
        await own.visit(place);
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
        for (const text of await textsOf(page)) {
          if (foreign.test(text.replaceAll(NAMES, ''))) found.push(`${place}: ${text}`);
        }
      }
      expect([...new Set(found)]).toEqual([]);
    });
  });
}
