// The applications that the page of a subscription offers: on which systems each runs, how it takes a link, and where it is had.
import type { ClientCore } from '../../domain/nodes/compatibility.ts';
import { percent, toBase64Url } from '../encoding.ts';

export const SYSTEMS = ['ios', 'android', 'windows', 'macos', 'linux', 'tv'] as const;
export type System = (typeof SYSTEMS)[number];

/** The same in every language. */
export const SYSTEM_NAMES: Readonly<Record<System, string>> = {
  ios: 'iPhone, iPad',
  android: 'Android',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  tv: 'Android TV',
};

export interface App {
  readonly name: string;
  /** What it is built on; left out: a program of its own. */
  readonly core?: ClientCore;
  /** The address that opens the application and gives it the subscription. */
  add(url: string, title: string): string;
  /** Where it is installed from; only on these systems it is offered. */
  readonly install: Readonly<Partial<Record<System, string>>>;
}

const onAll = (url: string) => ({ windows: url, macos: url, linux: url });
const appStore = (path: string) => `https://apps.apple.com/app/${path}`;
const play = (id: string) => `https://play.google.com/store/apps/details?id=${id}`;
const release = (repository: string) => `https://github.com/${repository}/releases/latest`;
const query = (start: string) => (url: string, title: string) => `${start}?url=${percent(url)}&name=${percent(title)}`;

/** In the order in which they are offered: the easiest first. */
export const APPS: readonly App[] = [
  {
    name: 'Happ',
    core: 'xray',
    add: (url) => `happ://add/${url}`,
    install: {
      ios: appStore('happ-proxy-utility/id6504287215'),
      android: play('com.happproxy'),
      tv: play('com.happproxy'),
      ...onAll(release('Happ-proxy/happ-desktop')),
    },
  },
  {
    name: 'v2RayTun',
    core: 'xray',
    add: (url) => `v2raytun://import/${url}`,
    install: {
      ios: appStore('v2raytun/id6476628951'),
      android: play('com.v2raytun.android'),
      macos: appStore('v2raytun/id6476628951'),
    },
  },
  {
    name: 'INCY',
    core: 'xray',
    add: (url) => `incy://import/${url}`,
    install: {
      ios: appStore('incy/id6756943388'),
      android: play('llc.itdev.incy'),
      ...onAll(release('INCY-DEV/incy-platforms')),
    },
  },
  {
    name: 'v2rayNG',
    core: 'xray',
    // It reads the name behind `#` alone.
    add: (url, title) => `v2rayng://install-sub?url=${percent(url)}#${percent(title)}`,
    install: { android: release('2dust/v2rayNG'), tv: release('2dust/v2rayNG') },
  },
  {
    name: 'Streisand',
    core: 'xray',
    add: (url, title) => `streisand://import/${url}#${percent(title)}`,
    install: { ios: appStore('streisand/id6450534064'), macos: appStore('streisand/id6450534064') },
  },
  {
    name: 'Hiddify',
    core: 'sing-box',
    add: (url, title) => `hiddify://import/${url}#${percent(title)}`,
    install: {
      ios: appStore('hiddify-proxy-vpn/id6596777532'),
      android: play('app.hiddify.com'),
      tv: play('app.hiddify.com'),
      ...onAll(release('hiddify/hiddify-app')),
    },
  },
  {
    name: 'Shadowrocket',
    add: (url, title) => `shadowrocket://add/sub://${toBase64Url(url)}?remark=${percent(title)}`,
    install: { ios: appStore('shadowrocket/id932747118') },
  },
  {
    name: 'V2Box',
    core: 'xray',
    add: query('v2box://install-sub'),
    install: {
      ios: appStore('v2box-v2ray-client/id6446814690'),
      android: play('dev.hexasoftware.v2box'),
      macos: appStore('v2box-v2ray-client/id6446814690'),
    },
  },
  {
    name: 'Clash Mi',
    core: 'mihomo',
    add: (url, title) => `clashmi://install-config?overwrite=no&name=${percent(title)}&url=${percent(url)}`,
    install: { ios: appStore('clash-mi/id6744321968') },
  },
  {
    name: 'FlClash',
    core: 'mihomo',
    add: query('flclash://install-config'),
    install: { android: release('chen08209/FlClash'), ...onAll(release('chen08209/FlClash')) },
  },
  {
    name: 'Clash Verge Rev',
    core: 'mihomo',
    add: query('clash://install-config'),
    install: onAll(release('clash-verge-rev/clash-verge-rev')),
  },
  {
    name: 'Karing',
    core: 'sing-box',
    add: query('karing://install-config'),
    install: {
      ios: appStore('karing/id6472431552'),
      android: release('KaringX/karing'),
      tv: release('KaringX/karing'),
      ...onAll(release('KaringX/karing')),
    },
  },
  {
    name: 'sing-box',
    core: 'sing-box',
    add: (url, title) => `sing-box://import-remote-profile?url=${percent(url)}#${percent(title)}`,
    install: {
      ios: appStore('sing-box-mt/id6785326793'),
      android: play('io.nekohasekai.sfa'),
      tv: play('io.nekohasekai.sfa'),
      macos: release('SagerNet/sing-box'),
    },
  },
];

/** The system of a browser. A tablet that says it is a Mac gets what a Mac gets. */
export function detectSystem(userAgent: string | undefined): System {
  const agent = userAgent ?? '';
  if (/iPhone|iPad|iPod/.test(agent)) return 'ios';
  if (/Android/.test(agent)) return /\bTV\b|GoogleTV|BRAVIA|\bAFT[A-Z]|SHIELD|SMART-TV/i.test(agent) ? 'tv' : 'android';
  if (/Windows/.test(agent)) return 'windows';
  if (/Macintosh/.test(agent)) return 'macos';
  return /Linux|X11|CrOS/.test(agent) ? 'linux' : 'android';
}
