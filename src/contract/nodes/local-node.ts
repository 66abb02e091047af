// A suggested node and inbound for the panel's own machine.
import { z } from 'zod';
import {
  inbound,
  inboundCreate,
  inboundExample,
  NETWORKS,
  PROTOCOLS,
  SECURITIES,
  TARGET_FINDINGS,
} from '../inbounds.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const suggestLocalNode = panelOperation({
  id: 'suggestLocalNode',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: "Suggest a node and an inbound on the panel's machine",
  description:
    'Nothing is stored: pass the suggestion to setUpLocalNode. VLESS with REALITY if the engine supports it, else Trojan with TLS.',
  input: z.strictObject({
    check_target: z.boolean().default(false).meta({
      description: 'Tests well-known sites by a TLS handshake for use as a REALITY target.',
    }),
  }),
  output: z.object({
    engine: z.object({ name: z.string(), version: z.string() }).nullable(),
    address: z.string().meta({ description: 'The host of subscription links, a likely address of the node.' }),
    connection: z
      .object({
        protocol: z.enum(PROTOCOLS),
        network: z.enum(NETWORKS),
        security: z.enum(SECURITIES),
        flow: z.literal('xtls-rprx-vision').nullable(),
        port: z.int(),
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

export const setUpLocalNode = panelOperation({
  id: 'setUpLocalNode',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: "Create a node and its inbound on the panel's machine",
  description:
    'Both are created, or neither. With `reality` the panel generates the keys and the short id of the inbound.',
  input: inboundCreate
    .pick({
      tag: true,
      name: true,
      protocol: true,
      network: true,
      security: true,
      flow: true,
      port: true,
      sni: true,
      fingerprint: true,
    })
    .extend({
      node_id: s.id.optional().meta({ description: 'A node that gets the inbound instead of a new one.' }),
      node_name: s.name,
      address: s.hostName,
    })
    .meta({ id: 'LocalNodeSetUp', description: 'A new node and its inbound.' }),
  status: 201,
  output: inbound,
  errors: ['node_not_found', 'vault_unavailable'],
  example: {
    body: {
      node_name: 'This machine',
      address: 'vpn.example.com',
      tag: inboundExample.tag,
      name: inboundExample.name,
      protocol: 'vless',
      security: 'reality',
      port: 443,
      sni: 'www.example.org',
      flow: 'xtls-rprx-vision',
      fingerprint: 'chrome',
    },
    reply: { ...inboundExample, has_private_key: true },
  },
});
