// The apps that are offered if the administrator has not set any.
import { type OfferedApp, SYSTEMS, type System } from './apps.ts';

const onAll = (url: string) => ({ windows: url, macos: url, linux: url });
const appStore = (path: string) => `https://apps.apple.com/app/${path}`;
const play = (id: string) => `https://play.google.com/store/apps/details?id=${id}`;
const release = (repository: string) => `https://github.com/${repository}/releases/latest`;

function listStores(urls: Readonly<Partial<Record<System, string>>>): OfferedApp['stores'] {
  return SYSTEMS.flatMap((system) => {
    const url = urls[system];
    return url === undefined ? [] : [{ system, url }];
  });
}

/** In the order in which they are offered, the easiest first. */
export const DEFAULT_APPS: readonly OfferedApp[] = [
  {
    name: 'Happ',
    core: 'xray',
    link: 'happ://add/{url}',
    format: null,
    stores: listStores({
      ios: appStore('happ-proxy-utility/id6504287215'),
      android: play('com.happproxy'),
      tv: play('com.happproxy'),
      ...onAll(release('Happ-proxy/happ-desktop')),
    }),
  },
  {
    name: 'v2RayTun',
    core: 'xray',
    link: 'v2raytun://import/{url}',
    format: null,
    stores: listStores({
      ios: appStore('v2raytun/id6476628951'),
      android: play('com.v2raytun.android'),
      macos: appStore('v2raytun/id6476628951'),
    }),
  },
  {
    name: 'INCY',
    core: 'xray',
    link: 'incy://import/{url}',
    format: null,
    stores: listStores({
      ios: appStore('incy/id6756943388'),
      android: play('llc.itdev.incy'),
      ...onAll(release('INCY-DEV/incy-platforms')),
    }),
  },
  {
    name: 'v2rayNG',
    core: 'xray',
    // It reads the name only after `#`.
    link: 'v2rayng://install-sub?url={url_encoded}#{name}',
    format: null,
    stores: listStores({ android: release('2dust/v2rayNG'), tv: release('2dust/v2rayNG') }),
  },
  {
    name: 'Streisand',
    core: 'xray',
    link: 'streisand://import/{url}#{name}',
    format: null,
    stores: listStores({ ios: appStore('streisand/id6450534064'), macos: appStore('streisand/id6450534064') }),
  },
  {
    name: 'Hiddify',
    core: 'sing-box',
    link: 'hiddify://import/{url}#{name}',
    format: null,
    stores: listStores({
      ios: appStore('hiddify-proxy-vpn/id6596777532'),
      android: play('app.hiddify.com'),
      tv: play('app.hiddify.com'),
      ...onAll(release('hiddify/hiddify-app')),
    }),
  },
  {
    name: 'Shadowrocket',
    core: null,
    link: 'shadowrocket://add/sub://{url_base64}?remark={name}',
    format: null,
    stores: listStores({ ios: appStore('shadowrocket/id932747118') }),
  },
  {
    name: 'V2Box',
    core: 'xray',
    link: 'v2box://install-sub?url={url_encoded}&name={name}',
    format: null,
    stores: listStores({
      ios: appStore('v2box-v2ray-client/id6446814690'),
      android: play('dev.hexasoftware.v2box'),
      macos: appStore('v2box-v2ray-client/id6446814690'),
    }),
  },
  {
    name: 'Clash Mi',
    core: 'mihomo',
    link: 'clashmi://install-config?overwrite=no&name={name}&url={url_encoded}',
    format: null,
    stores: listStores({ ios: appStore('clash-mi/id6744321968') }),
  },
  {
    name: 'FlClash',
    core: 'mihomo',
    link: 'flclash://install-config?url={url_encoded}&name={name}',
    format: null,
    stores: listStores({ android: release('chen08209/FlClash'), ...onAll(release('chen08209/FlClash')) }),
  },
  {
    name: 'Clash Verge Rev',
    core: 'mihomo',
    link: 'clash://install-config?url={url_encoded}&name={name}',
    format: null,
    stores: listStores(onAll(release('clash-verge-rev/clash-verge-rev'))),
  },
  {
    name: 'Karing',
    core: 'sing-box',
    link: 'karing://install-config?url={url_encoded}&name={name}',
    format: null,
    stores: listStores({
      ios: appStore('karing/id6472431552'),
      android: release('KaringX/karing'),
      tv: release('KaringX/karing'),
      ...onAll(release('KaringX/karing')),
    }),
  },
  {
    name: 'sing-box',
    core: 'sing-box',
    link: 'sing-box://import-remote-profile?url={url_encoded}#{name}',
    format: null,
    stores: listStores({
      ios: appStore('sing-box-mt/id6785326793'),
      android: play('io.nekohasekai.sfa'),
      tv: play('io.nekohasekai.sfa'),
      macos: release('SagerNet/sing-box'),
    }),
  },
];
