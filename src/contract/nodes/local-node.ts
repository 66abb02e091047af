// A suggested node and inbound for the panel's own machine.
import { z } from 'zod';
import { inboundExample, NETWORKS, PROTOCOLS, SECURITIES, TARGET_FINDINGS } from '../inbounds.ts';
import { panelOperation } from '../operation.ts';

/** Systems for which the pages show how to install an engine. */
export const PLATFORMS = ['linux', 'darwin', 'win32'] as const;

export const suggestLocalNode = panelOperation({
  id: 'suggestLocalNode',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: "Suggest a node and an inbound on the panel's machine",
  description:
    'Nothing is stored: pass the suggestion to createNode and createInbound. VLESS with REALITY if the engine supports it, else Trojan with TLS.',
  input: z.strictObject({
    check_target: z.boolean().default(false).meta({
      description: 'Tests well-known sites by a TLS handshake for use as a REALITY target.',
    }),
  }),
  output: z.object({
    platform: z.enum(PLATFORMS).nullable().meta({ description: 'The operating system; null: another one.' }),
    engine: z
      .object({ name: z.string(), version: z.string() })
      .nullable()
      .meta({ description: 'The engine found; null: none.' }),
    address: z.string().meta({ description: 'The host of subscription links, a likely address of the node.' }),
    connection: z
      .object({
        protocol: z.enum(PROTOCOLS),
        network: z.enum(NETWORKS),
        security: z.enum(SECURITIES),
        flow: z.literal('xtls-rprx-vision').nullable(),
        port: z.int().meta({ description: 'A free port on the machine and the node.' }),
        sni: z.string().nullable().meta({ description: 'The REALITY target; null without REALITY.' }),
        sni_findings: z
          .array(z.enum(TARGET_FINDINGS))
          .nullable()
          .meta({ description: 'What the target lacks; null: it was not tested.' }),
      })
      .nullable()
      .meta({ description: 'null: no engine, or no free port.' }),
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
