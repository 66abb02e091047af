// Holds which format a client gets, by what real clients send.
import { describe, expect, it } from 'vitest';
import { chooseFormat, type Wish } from './choose.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0';

describe('chooseFormat', () => {
  it.each<[string, Wish, string]>([
    ['nothing said', {}, 'links'],
    ['a served format', { format: 'plain', userAgent: 'v2rayNG/1.9.30' }, 'plain'],
    ['the format before all else', { format: 'links', accept: 'text/plain', userAgent: FIREFOX }, 'links'],
    ['an unknown format', { format: 'nonsense' }, 'links'],
    ['a format in other letters', { format: 'PLAIN' }, 'links'],
    ['an empty format', { format: '' }, 'links'],
    ['only plain text accepted', { accept: 'text/plain; charset=utf-8' }, 'plain'],
    ['anything accepted', { accept: '*/*', userAgent: 'curl/8.14.1' }, 'links'],
    ['a browser', { accept: 'text/html,application/xhtml+xml;q=0.9', userAgent: FIREFOX }, 'plain'],
    [
      "Java's client, which accepts text/html",
      { accept: 'text/html, image/gif, image/jpeg, */*; q=.2', userAgent: 'v2rayNG/1.9.30' },
      'links',
    ],
    ['a client named after another', { userAgent: 'Shadowrocket/2070 CFNetwork/1568.200.51 Darwin/24.1.0' }, 'links'],
  ])('%s', (_, wish, format) => {
    expect(chooseFormat(wish)).toBe(format);
  });
});
