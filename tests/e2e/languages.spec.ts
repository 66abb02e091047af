// Every screen in either language holds no word of the other: what the records hold is named with neither's letters.
import type { Page } from '@playwright/test';
import { expect, test } from './support/fixtures.ts';
import { everyPlace, makeOneOfEach } from './support/records.ts';

/** What is the same in every language: protocols, products, formats, currencies, and what machines and the API call things. */
const NAMES = new RegExp(
  [
    /\b(?:API|OpenAPI|HTTPS?|URL|DNS|IPv?[46]?|ID|QR|GMT|UTC|CSV|JSON|PEM|SHA-256|RSA|TLS|TCP|UDP|CDN|SNI|ALPN|UUID|CPU|X-Forwarded-For)\b/,
    /\b(?:REALITY|VLESS|VMess|Trojan|Shadowsocks|WebSocket|gRPC|HTTPUpgrade|XHTTP|Vision|Xray|curl|grafana|Gatehouse|English)\b/,
    /\b(?:chrome|firefox|safari|ios|android|edge|random|randomized|Firefox|Linux|HeadlessChrome|Chromium?)\b/,
    /\b(?:RUB|EUR|USD|Ctrl|Shift|Enter|Esc|Tab|Alt|Delete|Home|End|PgUp|PgDn)\b/,
    /\b(?:https?|tg|mailto|subjectAltName|fullchain|privkey|cacert|gatehouse-ca|pem|localhost|admin|one|enabled|name|announcement|BEGIN|vless-reality|xtls-rprx-vision)\b/,
    // Time zones, host names, members of the API, names of files and of certificates, versions of programs.
    /\b[A-Z]\w+(?:\/[\w+-]+)+|[\w-]+(?:\.[\w-]+)+|\b[a-z]+(?:_[a-z]+)+\b|CN=[\w ]+|pnl_|\/tmp\/[\w/-]+|[\w:.-]*gatehouse-backup|[\dA-F]+(?::[\dA-F]*)+/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Every text that a person sees or hears on the page: of nodes, names and placeholders. What is data or code is left out. */
function textsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const isData = (element: Element | null) =>
      element === null ||
      element.closest(
        'code, pre, svg, [aria-hidden=true], [lang="en"], [lang="ru"]:not(html), .visually-hidden code',
      ) !== null;
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      const hidden = parentElement?.closest('script, style, noscript, [hidden], [aria-hidden=true]') !== null;
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
  ['ru', /[A-Za-z]{3,}/, '第一 2026'],
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
