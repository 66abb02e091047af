// The built-in templates, made from the sites that each country opens without the proxy.
import { stringify } from 'yaml';
import {
  BUILT_IN_TEMPLATES,
  type BuiltInTemplate,
  type TemplateDocuments,
} from '../../contract/subscription/templates.ts';
import { DIRECT_DOMAINS, PRIVATE_NETWORKS } from './countries.ts';
import { ALL } from './template.ts';

const TEST_URL = 'https://www.gstatic.com/generate_204';

const FOREIGN_DNS = '1.1.1.1';

function buildMihomo(direct: readonly string[]): object {
  return {
    'mixed-port': 7890,
    mode: 'rule',
    'log-level': 'warning',
    ipv6: true,
    'unified-delay': true,
    'tcp-concurrent': true,
    tun: { enable: true, stack: 'mixed', 'auto-route': true, 'auto-detect-interface': true, 'dns-hijack': ['any:53'] },
    sniffer: { enable: true, sniff: { HTTP: { ports: [80] }, TLS: { ports: [443] }, QUIC: { ports: [443] } } },
    dns: {
      enable: true,
      ipv6: true,
      'enhanced-mode': 'fake-ip',
      'fake-ip-range': '198.18.0.1/16',
      'fake-ip-filter': [
        '*.lan',
        '*.local',
        'captive.apple.com',
        'connectivitycheck.gstatic.com',
        '+.msftconnecttest.com',
      ],
      'default-nameserver': ['system', FOREIGN_DNS],
      'proxy-server-nameserver': ['system', FOREIGN_DNS],
      nameserver: [`https://${FOREIGN_DNS}/dns-query#PROXY`],
      ...(direct.length > 0 && {
        'nameserver-policy': Object.fromEntries(direct.map((domain) => [`+.${domain}`, 'system'])),
      }),
    },
    'proxy-groups': [
      { name: 'PROXY', type: 'select', proxies: ['AUTO', ALL] },
      { name: 'AUTO', type: 'url-test', proxies: [ALL], url: TEST_URL, interval: 300, tolerance: 150, lazy: true },
    ],
    rules: [
      ...PRIVATE_NETWORKS.map((network) => `IP-CIDR${network.includes(':') ? '6' : ''},${network},DIRECT,no-resolve`),
      ...direct.map((domain) => `DOMAIN-SUFFIX,${domain},DIRECT`),
      'MATCH,PROXY',
    ],
  };
}

function buildSingBox(direct: readonly string[]): object {
  const isDirect = { domain_suffix: direct };
  return {
    log: { level: 'warn' },
    dns: {
      servers: [
        { type: 'https', tag: 'remote', server: FOREIGN_DNS, detour: 'proxy' },
        { type: 'local', tag: 'local' },
      ],
      ...(direct.length > 0 && { rules: [{ ...isDirect, server: 'local' }] }),
      final: 'remote',
    },
    inbounds: [
      {
        type: 'tun',
        tag: 'tun-in',
        address: ['172.19.0.1/30', 'fdfe:dcba:9876::1/126'],
        auto_route: true,
        strict_route: true,
      },
    ],
    outbounds: [
      { type: 'selector', tag: 'proxy', outbounds: ['auto', ALL] },
      { type: 'urltest', tag: 'auto', outbounds: [ALL] },
      { type: 'direct', tag: 'direct' },
    ],
    route: {
      rules: [
        { action: 'sniff' },
        { protocol: 'dns', action: 'hijack-dns' },
        { ip_is_private: true, outbound: 'direct' },
        ...(direct.length > 0 ? [{ ...isDirect, outbound: 'direct' }] : []),
      ],
      final: 'proxy',
      auto_detect_interface: true,
      default_domain_resolver: 'local',
    },
  };
}

function buildXray(direct: readonly string[]): object {
  const sniffing = { enabled: true, destOverride: ['http', 'tls', 'quic'], routeOnly: true };
  return {
    log: { loglevel: 'warning' },
    dns: {
      servers: [
        FOREIGN_DNS,
        ...(direct.length > 0 ? [{ address: 'localhost', domains: direct.map((domain) => `domain:${domain}`) }] : []),
      ],
    },
    inbounds: [
      { tag: 'socks', listen: '127.0.0.1', port: 10808, protocol: 'socks', settings: { udp: true }, sniffing },
      { tag: 'http', listen: '127.0.0.1', port: 10809, protocol: 'http', sniffing },
    ],
    outbounds: [
      { tag: 'direct', protocol: 'freedom' },
      { tag: 'block', protocol: 'blackhole' },
    ],
    routing: {
      domainStrategy: 'AsIs',
      rules: [
        { type: 'field', ip: [...PRIVATE_NETWORKS], outboundTag: 'direct' },
        { type: 'field', protocol: ['bittorrent'], outboundTag: 'direct' },
        ...(direct.length > 0
          ? [{ type: 'field', domain: direct.map((domain) => `domain:${domain}`), outboundTag: 'direct' }]
          : []),
      ],
    },
  };
}

const toJson = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

let made: Readonly<Record<BuiltInTemplate, TemplateDocuments>> | null = null;

/** Built at the first call. */
export function builtInTemplates(): Readonly<Record<BuiltInTemplate, TemplateDocuments>> {
  made ??= Object.fromEntries(
    BUILT_IN_TEMPLATES.map((id) => {
      const direct = DIRECT_DOMAINS[id];
      return [
        id,
        {
          mihomo: stringify(buildMihomo(direct), { lineWidth: 0 }),
          sing_box: toJson(buildSingBox(direct)),
          xray: toJson(buildXray(direct)),
        },
      ];
    }),
  ) as unknown as Readonly<Record<BuiltInTemplate, TemplateDocuments>>;
  return made;
}
