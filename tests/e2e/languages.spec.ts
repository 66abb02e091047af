// No screen in one language has a word in the script of another.
import type { Page } from '@playwright/test';
import { DEFAULT_APPS } from '../../src/contract/subscription/default-apps.ts';
import { LANGUAGES } from '../../src/i18n/languages.ts';
import { expect, test } from './support/fixtures.ts';
import { everyPlace, makeOneOfEach } from './support/records.ts';

/** What is the same in every language: protocols, products, formats, currencies, and what machines and the API call things. */
const NAMES = new RegExp(
  [
    // The apps that a new panel offers, and each language in itself. Before the others, which may be parts of these names.
    ...[...DEFAULT_APPS, ...LANGUAGES].map(({ name }) => new RegExp(name)),
    /\b(?:iPhone|iPad|Android(?: TV)?|Windows|macOS)\b/,
    /\b(?:API|OpenAPI|ACME|Let’s Encrypt|Certificate Transparency|HTTPS?|TLS-ALPN|CAA|AAAA|URL|DNS|IPv?[46]?|ID|QR|GMT|UTC|CSV|JSON|PEM|SHA-256|RSA|TLS|TCP|UDP|CDN|SNI|ALPN|UUID|CPU|X-Forwarded-For|CF-Connecting-IP|SFTP)\b/,
    /\b(?:REALITY|VLESS|VMess|Trojan|Shadowsocks|Hysteria2|WireGuard|MTU|Salamander|WebSocket|gRPC|HTTPUpgrade|XHTTP|Vision|Xray|xray|v2ray|sing-box|tlshello|PROXY|curl|grafana|Gatehouse|mihomo|Happ|v2RayTun|Koala Clash|Clash|INCY|Provider ID|User-Agent|base64)\b/,
    /\b(?:Stars|Crypto Pay|Kassa|Stripe|Heleket|BotFather|Bot|Swagger UI)\b/,
    /\b(?:chrome|firefox|safari|ios|android|edge|random|randomized|Firefox|Linux|HeadlessChrome|Chromium?)\b/,
    /\b(?:GET|POST|Telegram|RUB|EUR|USD|Ctrl|Shift|Enter|Esc|Tab|Alt|Delete|Home|End|PgUp|PgDn)\b/,
    /\b(?:https?|tg|mailto|subjectAltName|fullchain|privkey|cacert|gatehouse-ca|pem|localhost|admin|one|enabled|name|announcement|BEGIN|vless-reality|xtls-rprx-vision)\b/,
    // Fields of protocols, beside or within the translated name; headers.
    /\b(?:ML-DSA-65|ML-KEM-768|mldsa65|vlessenc|pqv|extra|xmux|xPaddingBytes|encryption|decryption|seed|native|xorpub|sing-box)\b/,
    /\((?:fingerprint|target|flow|mux|fallback)\)|\b[Ss]hort ID\b|\buTLS\b|\bRetry-After\b|\bHost\b/,
    // Time zones, host names, members of the API, names of files and of certificates, versions of programs.
    /\b[A-Z]\w+(?:\/[\w+-]+)+|[\w-]+(?:\.[\w-]+)+|\b[a-z]+(?:_[a-z]+)+\b|CN=[\w ]+|pnl_|\/(?:tmp|usr)\/[\w/-]+|[\w:.-]*gatehouse-backup|[\dA-F]+(?::[\dA-F]*)+/,
    // Placeholders of texts, variables of names, links of apps, and codes.
    /\{\{\w+\}\}|\{[A-Z_]+\}|\b(?:happ|incy):\/\/[\w/]+|\?format=[\w-]+|\bx-device-os: iOS\b|\bONE\d+\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Every text that a person sees or hears on the page: of nodes, names and placeholders. What is data or code is left out. */
function listTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const isData = (element: Element | null) =>
      element === null ||
      element.closest('code, pre, svg, [aria-hidden=true], [lang]:not(html), .visually-hidden code') !== null;
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

const getScript = (tag: string) => new Intl.Locale(tag).maximize().script ?? '';

/** A word in a script that some language here is written in, but not this one. Latin is three letters: `px` is a word in none. */
function foreignWord(tag: string): RegExp {
  const scripts = new Set(LANGUAGES.map((language) => getScript(language.tag)));
  scripts.delete(getScript(tag));
  const words = [...scripts].map((script) => `\\p{Script=${script}}${script === 'Latn' ? '{3,}' : ''}`);
  // Nothing matches where all languages share a script.
  return new RegExp(words.join('|') || '(?!)', 'u');
}

/** What the records are called. */
const NAME = '第一 2026';

for (const { code, tag } of LANGUAGES) {
  test.describe(code, () => {
    test.use({ view: { locale: code } });
    test('no screen has a word in the script of another language', async ({ page, own }) => {
      const foreign = foreignWord(tag);
      const made = await makeOneOfEach(own, NAME);
      const found: string[] = [];
      for (const place of everyPlace(made)) {
        await own.visit(place);
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
        for (const text of await listTexts(page)) {
          if (foreign.test(text.replaceAll(NAME, '').replaceAll(NAMES, ''))) found.push(`${place}: ${text}`);
        }
      }
      expect([...new Set(found)]).toEqual([]);
    });
  });
}
