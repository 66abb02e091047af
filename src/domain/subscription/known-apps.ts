// Apps that read subscription links, each with a User-Agent as it sends it, and where that is documented. Tests compare them with what links answer.
import type { Format } from '../../contract/subscription/formats.ts';

export interface KnownApp {
  readonly name: string;
  readonly userAgent: string;
  /** Its format without a rule. */
  readonly format: Format;
  /** The repository, of the app itself where it is public, that has the User-Agent. */
  readonly source: string;
}

const REMNAWAVE = 'remnawave/templates';
const PASARGUARD = 'PasarGuard/panel';
const ANDROID = 'SagerNet/sing-box-for-android';
const APPLE = 'SagerNet/sing-box-for-apple';

export const KNOWN_APPS: readonly KnownApp[] = [
  { name: 'Happ', userAgent: 'Happ/3.21.1', format: 'links', source: REMNAWAVE },
  { name: 'Happ, iOS', userAgent: 'Happ/4.2.0/ios/2510201430', format: 'links', source: REMNAWAVE },
  { name: 'Happ, Windows', userAgent: 'Happ/2.18.3/Windows/2611011200', format: 'links', source: REMNAWAVE },
  { name: 'v2RayTun, iOS', userAgent: 'v2raytun/ios', format: 'links', source: REMNAWAVE },
  { name: 'v2RayTun, Android', userAgent: 'v2raytun/android', format: 'links', source: REMNAWAVE },
  { name: 'v2RayTun, Windows', userAgent: 'v2raytun/windows', format: 'links', source: REMNAWAVE },
  { name: 'INCY', userAgent: 'INCY/2.6.1/ios', format: 'links', source: REMNAWAVE },
  { name: 'Streisand', userAgent: 'Streisand/1.6.66', format: 'links', source: REMNAWAVE },
  {
    name: 'Streisand, CFNetwork',
    userAgent: 'Streisand/42 CFNetwork/1568.200.51 Darwin/24.1.0',
    format: 'links',
    source: REMNAWAVE,
  },
  {
    name: 'Shadowrocket',
    userAgent: 'Shadowrocket/2070 CFNetwork/1568.200.51 Darwin/24.1.0',
    format: 'links',
    source: REMNAWAVE,
  },
  {
    name: 'V2Box',
    userAgent: 'V2Box/9.6.1 CFNetwork/3826.500.111.2.2 Darwin/24.4.0',
    format: 'links',
    source: PASARGUARD,
  },
  { name: 'FoXray', userAgent: 'FoXray/1.0.6 CFNetwork/1498.700.2 Darwin/23.6.0', format: 'links', source: PASARGUARD },
  {
    name: 'Hiddify',
    userAgent: 'HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box',
    format: 'links',
    source: 'hiddify/hiddify-app',
  },
  {
    name: 'Hiddify 4',
    userAgent: 'Hiddify/4.0.3 (windows) like ClashMeta v2ray sing-box',
    format: 'links',
    source: 'hiddify/hiddify-app',
  },
  {
    name: 'HiddifyNextX',
    userAgent: 'HiddifyNextX/1.0.0 (ios) like ClashMeta v2ray sing-box',
    format: 'links',
    source: REMNAWAVE,
  },
  { name: 'InHive', userAgent: 'InHive/1.0.0', format: 'links', source: PASARGUARD },
  { name: 'v2rayNG', userAgent: 'v2rayNG/1.10.32', format: 'links', source: '2dust/v2rayNG' },
  { name: 'v2rayN', userAgent: 'v2rayN/7.12.5', format: 'links', source: '2dust/v2rayN' },
  {
    name: 'NekoBox',
    userAgent: 'NekoBox/Android/1.3.8 (Prefer ClashMeta Format)',
    format: 'links',
    source: 'MatsuriDayo/NekoBoxForAndroid',
  },
  {
    name: 'nekoray',
    userAgent: 'nekoray/4.0.1 (Prefer ClashMeta Format)',
    format: 'links',
    source: 'MatsuriDayo/nekoray',
  },
  { name: 'Throne', userAgent: 'Throne/1.1.6', format: 'links', source: 'throneproj/Throne' },
  { name: 'Exclave', userAgent: 'Exclave/0.14.9', format: 'links', source: 'dyhkwong/Exclave' },
  {
    name: 'Husi',
    userAgent: 'husi/0.10.20 (1020; sing-box 1.12.10)',
    format: 'links',
    source: 'xchacha20-poly1305/husi',
  },
  { name: 'Karing', userAgent: 'Karing/1.2.4.1800', format: 'sing-box', source: 'KaringX/karing' },
  {
    name: 'Karing, with the names of others',
    userAgent:
      'Karing/1.2.22.2502 platform/windows;mihomo/1.19.27;clash-verge;ClashMeta;v2ray;sing-box 1.13.0;HiddifyNext',
    format: 'sing-box',
    source: 'KaringX/karing',
  },
  {
    name: 'SFA',
    userAgent: 'SFA/1.14.1 (Build 600; sing-box 1.14.1; language en_GB)',
    format: 'sing-box',
    source: ANDROID,
  },
  {
    name: 'SFI',
    userAgent: 'SFI/1.12.10 (Build 1; sing-box 1.12.10; language ru_RU)',
    format: 'sing-box',
    source: APPLE,
  },
  {
    name: 'SFM',
    userAgent: 'SFM/1.12.10 (Build 1; sing-box 1.12.10; language de_DE)',
    format: 'sing-box',
    source: APPLE,
  },
  {
    name: 'SFT',
    userAgent: 'SFT/1.12.10 (Build 1; sing-box 1.12.10; language en_US)',
    format: 'sing-box',
    source: APPLE,
  },
  {
    name: 'SFI with an old sing-box',
    userAgent: 'SFI/1.12.2 (Build 2; sing-box 1.11.4; language zh_CN)',
    format: 'links',
    source: APPLE,
  },
  { name: 'sing-box', userAgent: 'sing-box 1.14.1', format: 'sing-box', source: 'SagerNet/sing-box' },
  {
    name: 'FlClash',
    userAgent: 'FlClash/v0.8.90 clash-verge Platform/android',
    format: 'mihomo',
    source: 'chen08209/FlClash',
  },
  { name: 'FlClashX', userAgent: 'FlClash X/v0.3.0 Platform/windows', format: 'mihomo', source: 'pluralplay/FlClashX' },
  { name: 'Koala Clash', userAgent: 'koala-clash/v0.2.3', format: 'mihomo', source: 'coolcoala/clash-verge-rev-lite' },
  {
    name: 'Clash Verge Rev',
    userAgent: 'clash-verge/v2.4.2',
    format: 'mihomo',
    source: 'clash-verge-rev/clash-verge-rev',
  },
  {
    name: 'Clash Nyanpasu',
    userAgent: 'clash-nyanpasu/v1.6.1',
    format: 'mihomo',
    source: 'libnyanpasu/clash-nyanpasu',
  },
  { name: 'ClashMi', userAgent: 'ClashMi/1.0.9', format: 'mihomo', source: 'KaringX/clashmi' },
  {
    name: 'Clash Meta for Android',
    userAgent: 'ClashMetaForAndroid/2.11.17.Meta',
    format: 'mihomo',
    source: 'MetaCubeX/ClashMetaForAndroid',
  },
  {
    name: 'ClashX Meta',
    userAgent: 'ClashX Meta/v1.4.24 (com.metacubex.ClashX.meta; build:622; macOS 26.0.0) Alamofire/5.10.2',
    format: 'mihomo',
    source: 'MetaCubeX/ClashX.Meta',
  },
  {
    name: 'Mihomo Party',
    userAgent: 'mihomo.party/v1.8.8 (clash.meta)',
    format: 'mihomo',
    source: 'mihomo-party-org/mihomo-party',
  },
  { name: 'Sparkle', userAgent: 'Sparkle/1.6.15', format: 'mihomo', source: 'xishang0128/sparkle' },
  { name: 'mihomo', userAgent: 'clash.meta/v1.19.15', format: 'mihomo', source: 'MetaCubeX/mihomo' },
  { name: 'Prizrak-Box', userAgent: 'prizrak-box/1.0.0', format: 'mihomo', source: REMNAWAVE },
  { name: 'Prizrak-Box, as mihomo', userAgent: 'Clash-Meta/Prizrak-Box', format: 'mihomo', source: REMNAWAVE },
  { name: 'Flowvy', userAgent: 'Flowvy/1.2.0', format: 'mihomo', source: REMNAWAVE },
  { name: 'Murge', userAgent: 'murge/1.0.0', format: 'mihomo', source: REMNAWAVE },
  { name: 'Rabbit Hole', userAgent: 'RabbitHole/185', format: 'mihomo', source: REMNAWAVE },
  { name: 'Stash', userAgent: 'Stash/3.2.0 Clash/1.11.0', format: 'mihomo', source: REMNAWAVE },
  { name: 'Clash for Windows', userAgent: 'ClashforWindows/0.20.39', format: 'clash', source: REMNAWAVE },
  { name: 'Clash for Android', userAgent: 'ClashForAndroid/2.5.12', format: 'clash', source: REMNAWAVE },
  {
    name: 'ClashX',
    userAgent: 'ClashX/1.118.1 (com.west2online.ClashX; build:1.118.1; macOS 14.5.0) Alamofire/5.9.1',
    format: 'clash',
    source: REMNAWAVE,
  },
  {
    name: 'ClashX Pro',
    userAgent: 'ClashX Pro/1.118.1 (com.west2online.ClashXPro; build:1.118.1; OS X 14.5.0)',
    format: 'clash',
    source: REMNAWAVE,
  },
  { name: 'Xray', userAgent: 'Xray-core/26.3.27', format: 'xray', source: 'XTLS/Xray-core' },
  { name: 'curl', userAgent: 'curl/8.14.1', format: 'links', source: 'curl/curl' },
];
