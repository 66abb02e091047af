// Hosts of an inbound on the wire: the addresses at which users' apps reach it, such as those of CDNs and relays.
import { z } from 'zod';
import { audienceTags, audienceTariffs } from './audience.ts';
import * as s from './scalars.ts';

export const HOST_SECURITIES = ['none', 'tls'] as const;
export const HOST_ORDERS = ['listed', 'weighted'] as const;
/** Replies list all hosts of each inbound. */
export const MAX_HOSTS = 100;
const MAX_HOST_WEIGHT = 1000;

/** Fields that an inbound has too, with the same bounds. */
interface InboundFields<Alpn extends z.ZodType, Fingerprint extends z.ZodType> {
  readonly port: z.ZodInt;
  readonly path: z.ZodString;
  readonly alpn: Alpn;
  readonly fingerprint: Fingerprint;
}

const hostSecurity = z
  .enum(HOST_SECURITIES)
  .meta({ id: 'HostSecurity', description: 'Whether what answers at the address of a host has TLS.' });

const ABOUT = {
  name: "The name that the user sees in the app, which may have variables; null: the inbound's.",
  address: "The address users connect to; null: the inbound's.",
  port: "The port users connect to; null: the inbound's.",
  security:
    '`tls` or `none`: what answers at this address, such as a CDN, has TLS with a certificate that an authority has signed, or none. null: as the inbound, by whose certificate apps recognize it.',
  sni: "The server name of the TLS handshake; null: the inbound's.",
  host_header: 'The Host header, with `ws`, `httpupgrade` and `xhttp`; null: the server name.',
  path: "The path of the HTTP request; null: the inbound's.",
  alpn: "The protocols offered in the TLS handshake; null: the inbound's.",
  fingerprint: "The TLS fingerprint that the client imitates; null: the inbound's.",
  weight: 'With the order `weighted`: the share of users who get this host first, in proportion to the others.',
  tariffs: 'The host is for users of these tariffs, and for those with one of `tags`. Both empty: for everyone.',
  tags: 'The host is for users with one of these tags, and for those of `tariffs`.',
  enabled: 'false: no subscription contains it.',
} as const;

/** The hosts of an inbound: as they are read, as they are written, and their order. */
export function defineHosts<Alpn extends z.ZodType, Fingerprint extends z.ZodType>({
  port,
  path,
  alpn,
  fingerprint,
}: InboundFields<Alpn, Fingerprint>) {
  const fields = {
    name: s.name.nullable(),
    address: s.hostName.nullable(),
    port: port.nullable(),
    security: hostSecurity.nullable(),
    sni: s.hostName.nullable(),
    host_header: s.hostName.nullable(),
    path: path.nullable(),
    alpn: alpn.nullable(),
    fingerprint: fingerprint.nullable(),
    weight: z.int().min(1).max(MAX_HOST_WEIGHT),
    tariffs: audienceTariffs,
    tags: audienceTags,
    enabled: z.boolean(),
  };
  const host = z
    .object({
      name: z.string().nullable().meta({ description: ABOUT.name }),
      address: z.string().nullable().meta({ description: ABOUT.address }),
      port: fields.port.meta({ description: ABOUT.port }),
      security: fields.security.meta({ description: ABOUT.security }),
      sni: z.string().nullable().meta({ description: ABOUT.sni }),
      host_header: z.string().nullable().meta({ description: ABOUT.host_header }),
      path: z.string().nullable().meta({ description: ABOUT.path }),
      alpn: z.array(z.string()).nullable().meta({ description: ABOUT.alpn }),
      fingerprint: z.string().nullable().meta({ description: ABOUT.fingerprint }),
      weight: z.int().meta({ description: ABOUT.weight }),
      tariffs: z.array(s.id).meta({ description: ABOUT.tariffs }),
      tags: z.array(z.string()).meta({ description: ABOUT.tags }),
      enabled: fields.enabled.meta({ description: ABOUT.enabled }),
    })
    .meta({ id: 'Host', description: "An address at which users' apps reach an inbound." });
  const hostInput = z
    .strictObject({
      name: fields.name.default(null).meta({ description: ABOUT.name }),
      address: fields.address.default(null).meta({ description: ABOUT.address }),
      port: fields.port.default(null).meta({ description: ABOUT.port }),
      security: fields.security.default(null).meta({ description: ABOUT.security }),
      sni: fields.sni.default(null).meta({ description: ABOUT.sni }),
      host_header: fields.host_header.default(null).meta({ description: ABOUT.host_header }),
      path: fields.path.default(null).meta({ description: ABOUT.path }),
      alpn: fields.alpn.default(null).meta({ description: ABOUT.alpn }),
      fingerprint: fields.fingerprint.default(null).meta({ description: ABOUT.fingerprint }),
      weight: fields.weight.default(1).meta({ description: ABOUT.weight }),
      tariffs: fields.tariffs.default([]).meta({ description: ABOUT.tariffs }),
      tags: fields.tags.default([]).meta({ description: ABOUT.tags }),
      enabled: fields.enabled.default(true).meta({ description: ABOUT.enabled }),
    })
    .meta({ id: 'HostInput', description: 'A host of an inbound.' });
  return {
    host,
    hosts: z.array(hostInput).max(MAX_HOSTS),
    order: z.enum(HOST_ORDERS).meta({ id: 'HostOrder', description: ABOUT_HOSTS.host_order }),
  };
}

/** Descriptions of the members of an inbound. */
export const ABOUT_HOSTS = {
  hosts:
    'The addresses at which apps reach the inbound, each an entry of its own in subscriptions, in the order of the list: CDNs, clean IP addresses, relays. Empty: one entry, at `host` or the address of the node. They are changed as a whole.',
  host_order:
    'The order of the hosts in subscriptions. `listed`: as in the list. `weighted`: by user, at random but always the same, so that users are spread over the hosts by their `weight`.',
} as const;
