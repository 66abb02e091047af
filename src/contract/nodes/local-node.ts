// What the panel's own machine could serve: the engine that is on it, and the connection that is recommended there.
import { z } from 'zod';
import { inboundExample, NETWORKS, PROTOCOLS, SECURITIES, TARGET_FINDINGS } from '../inbounds.ts';
import { panelOperation } from '../operation.ts';

/** Systems for which the pages know how an engine is installed. */
export const PLATFORMS = ['linux', 'darwin', 'win32'] as const;

export const suggestLocalNode = panelOperation({
  id: 'suggestLocalNode',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: "Suggest a node on the panel's own machine, and a connection of it",
  description:
    'Nothing is kept: hand what is suggested to createNode and createInbound. VLESS with REALITY where the engine has it, else Trojan with TLS.',
  input: z.strictObject({
    check_target: z.boolean().default(false).meta({
      description: 'Asks well-known sites, by a TLS handshake, which of them REALITY can pretend to be.',
    }),
  }),
  output: z.object({
    platform: z.enum(PLATFORMS).nullable().meta({ description: 'The system of the machine; null: another one.' }),
    engine: z
      .object({ name: z.string(), version: z.string() })
      .nullable()
      .meta({ description: 'The engine that is found there; null: none.' }),
    address: z.string().meta({ description: 'The host of subscription links, which a node there is likely to share.' }),
    connection: z
      .object({
        protocol: z.enum(PROTOCOLS),
        network: z.enum(NETWORKS),
        security: z.enum(SECURITIES),
        flow: z.literal('xtls-rprx-vision').nullable(),
        port: z.int().meta({ description: 'Free on that machine, and on its node.' }),
        sni: z.string().nullable().meta({ description: 'The site that REALITY pretends to be; null without REALITY.' }),
        sni_findings: z
          .array(z.enum(TARGET_FINDINGS))
          .nullable()
          .meta({ description: 'What that site lacks; null: it was not asked.' }),
      })
      .nullable()
      .meta({ description: 'null: there is no engine, or no port is free.' }),
  }),
  example: {
    body: { check_target: true },
    reply: {
      platform: 'linux',
      engine: { name: 'xray', version: '26.9.11' },
      address: 'vpn.example.com',
      connection: {
        protocol: inboundExample.protocol,
        network: 'tcp',
        security: 'reality',
        flow: 'xtls-rprx-vision',
        port: 443,
        sni: 'www.example.org',
        sni_findings: [],
      },
    },
  },
});
