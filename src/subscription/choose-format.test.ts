// The format that each app gets.
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../contract/subscription/formats.ts';
import { chooseFormat, type FormatRequest, singBoxVersion } from './choose-format.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1';
const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('chooseFormat', () => {
  it.each<[string, FormatRequest, string]>([
    ['no preference', {}, 'links'],
    ['a served format', { format: 'plain', userAgent: 'v2rayNG/1.9.30' }, 'plain'],
    ['the format before the headers', { format: 'links', accept: 'text/plain', userAgent: FIREFOX }, 'links'],
    ['the format before the browser', { format: 'sing-box', accept: PAGE, userAgent: FIREFOX }, 'sing-box'],
    ['an unknown format', { format: 'nonsense' }, 'links'],
    ['an unknown format of a known client', { format: 'stash', userAgent: 'clash.meta' }, 'mihomo'],
    ['a format in other letters', { format: 'PLAIN' }, 'links'],
    ['an empty format', { format: '' }, 'links'],
    ['only plain text accepted', { accept: 'text/plain; charset=utf-8' }, 'plain'],
    ['only YAML accepted', { accept: 'application/yaml', userAgent: 'curl/8.14.1' }, 'mihomo'],
    ['only YAML accepted, by its old name', { accept: 'text/x-yaml' }, 'mihomo'],
    ['plain text among others', { accept: 'text/plain, */*', userAgent: 'clash.meta' }, 'mihomo'],
    ['anything accepted', { accept: '*/*', userAgent: 'curl/8.14.1' }, 'links'],
    ['a browser', { accept: PAGE, userAgent: FIREFOX }, 'html'],
    ['a phone', { accept: PAGE, userAgent: IPHONE }, 'html'],
    ['an application under the name of a browser', { accept: '*/*', userAgent: FIREFOX }, 'links'],
    [
      "Java's client, which accepts text/html",
      { accept: 'text/html, image/gif, image/jpeg, */*; q=.2', userAgent: 'v2rayNG/1.9.30' },
      'links',
    ],
  ])('%s', (_, wish, format) => {
    expect(chooseFormat(wish, []).format).toBe(format);
  });

  it.each(FORMATS)('%s where it is asked for', (format) => {
    expect(chooseFormat({ format, userAgent: 'clash.meta' }, []).format).toBe(format);
  });

  it.each<[userAgent: string, format: string]>([
    ['v2rayNG/1.10.32', 'links'],
    ['v2rayN/7.12.5', 'links'],
    ['v2raytun/ios', 'links'],
    ['Happ/3.21.1', 'links'],
    ['Happ/4.2.0/ios/2510201430', 'links'],
    ['HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box', 'links'],
    ['Hiddify/4.0.3 (windows) like ClashMeta v2ray sing-box', 'links'],
    ['Streisand/1.6.66', 'links'],
    ['Shadowrocket/2070 CFNetwork/1568.200.51 Darwin/24.1.0', 'links'],
    ['NekoBox/Android/1.3.8 (Prefer ClashMeta Format)', 'links'],
    ['nekoray/4.0.1 (Prefer ClashMeta Format)', 'links'],
    ['Throne/1.0.7 (Prefer ClashMeta Format)', 'links'],
    ['V2Box/9.6.1 CFNetwork/3826.500.111.2.2 Darwin/24.4.0', 'links'],
    ['FoXray/1.0.6 CFNetwork/1498.700.2 Darwin/23.6.0', 'links'],
    ['okhttp/5.1.0', 'links'],
    ['curl/8.14.1', 'links'],
    ['clash.meta', 'mihomo'],
    ['clash.meta/v1.19.15', 'mihomo'],
    ['mihomo/1.19.23', 'mihomo'],
    ['ClashMetaForAndroid/2.11.17.Meta', 'mihomo'],
    ['ClashMeta', 'mihomo'],
    ['clash-verge/v2.4.2', 'mihomo'],
    ['ClashforWindows/0.20.39', 'clash'],
    ['ClashForAndroid/2.5.12', 'clash'],
    ['ClashX/1.118.1 (com.west2online.ClashX; build:1.118.1; macOS 14.5.0) Alamofire/5.9.1', 'clash'],
    ['ClashX Pro/1.118.1 (com.west2online.ClashXPro; build:1.118.1; OS X 14.5.0)', 'clash'],
    ['ClashX Meta/v1.4.24 (com.metacubex.ClashX.meta; build:622; macOS 26.0.0) Alamofire/5.10.2', 'mihomo'],
    ['ClashForWindows/0.20.39 mihomo ClashMeta', 'mihomo'],
    ['ClashMi/1.0.9', 'mihomo'],
    ['clash-nyanpasu/v1.6.1', 'mihomo'],
    ['FlClash/v0.8.90 clash-verge Platform/android', 'mihomo'],
    ['FlClash X/v0.3.0 Platform/windows', 'mihomo'],
    ['koala-clash/v0.2.3', 'mihomo'],
    ['mihomo.party/v1.8.8 (clash.meta)', 'mihomo'],
    ['Sparkle/1.6.15', 'mihomo'],
    ['Stash/3.2.0 Clash/1.11.0', 'mihomo'],
    ['SFA/1.14.1 (Build 600; sing-box 1.14.1; language en_GB)', 'sing-box'],
    ['SFI/1.12.10 (Build 1; sing-box 1.12.10; language ru_RU)', 'sing-box'],
    ['SFM/1.12.10 (Build 1; sing-box 1.12.10; language de_DE)', 'sing-box'],
    ['SFT/1.12.10 (Build 1; sing-box 1.12.10; language en_US)', 'sing-box'],
    ['SFI (sing-box 1.14.0; language zh_CN)', 'sing-box'],
    ['sing-box 1.14.1', 'sing-box'],
    ['sing-box/1.12.0-beta.9', 'sing-box'],
    ['sing-box', 'sing-box'],
    ['SFI/1.11.4', 'links'],
    ['SFI/1.12.2 (Build 2; sing-box 1.11.4; language zh_CN)', 'links'],
    ['SFA/1.10.7 (Build 400; sing-box 1.10.7; language en_US)', 'links'],
    ['SFM/1.9.0', 'links'],
    ['SFT/1.11.15 (Build 1; sing-box 1.11.15; language de_DE)', 'links'],
    ['sing-box 1.11.15', 'links'],
    ['sing-box/1.8.0', 'links'],
    ['Karing/1.2.4.1800', 'sing-box'],
    ['Xray-core/26.3.27', 'xray'],
  ])('%s gets %s', (userAgent, format) => {
    expect(chooseFormat({ userAgent }, []).format).toBe(format);
    expect(chooseFormat({ userAgent, accept: '*/*' }, []).format).toBe(format);
  });
});

describe('singBoxVersion', () => {
  it.each<[string | undefined, string | null]>([
    ['SFI/1.12.2 (Build 2; sing-box 1.11.4; language zh_CN)', '1.11.4'],
    ['SFA/1.14.1', '1.14.1'],
    ['sing-box/1.12.0-beta.9', '1.12.0'],
    ['sing-box v1.13', '1.13'],
    ['Karing/1.2.4.1800', null],
    ['sing-box', null],
    ['HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box', null],
    [undefined, null],
  ])('%s is built on %s', (userAgent, version) => {
    expect(singBoxVersion(userAgent)).toBe(version);
  });
});
