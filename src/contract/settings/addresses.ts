// The addresses of the panel. Changed in the panel only; a change that could lock the administrator out must be confirmed.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

const port = z.int().min(1).max(65535);
const host = z
  .string()
  .max(253)
  .regex(/^(?:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)$/);
const listenAddress = z.union([z.ipv4(), z.ipv6(), z.literal('localhost')]);
const urlSafe = /^[A-Za-z0-9_-]+$/;
const secretPath = z.string().min(24).max(128).regex(urlSafe).meta({
  description:
    'The first segment of every address except links. It must have at least 128 bits, so that it cannot be guessed.',
});
const subPath = z.string().min(1).max(64).regex(urlSafe);
const publicUrl = z
  .url({ protocol: /^https?$/ })
  .max(300)
  .regex(/^https?:\/\/[^/?#@]+$/)
  .meta({ description: 'Scheme, host and port of links, without a path.' });
const proxy = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

const fields = {
  host: listenAddress.meta({
    description: 'The listening address; 127.0.0.1: this machine only, 0.0.0.0: all addresses.',
  }),
  port,
  secret_path: secretPath,
  sub_path: subPath,
  public_address: host.nullable().meta({ description: 'The name or address in base_url; null: the LAN address.' }),
  public_url: publicUrl.nullable(),
  host_names: z.array(host).max(20).meta({ description: "Names accepted in Host besides the panel's own." }),
  trusted_proxies: z.array(proxy).max(20).meta({ description: 'X-Forwarded-For is trusted only from these.' }),
  links_port: port.nullable().meta({ description: 'A separate listener for subscription links only; null: none.' }),
  links_host: listenAddress,
};

export const ADDRESS_WARNINGS = [
  'public_url_http',
  'public_url_own_certificate',
  'links_own_certificate',
  'only_this_machine',
] as const;

const addresses = z
  .object({
    ...fields,
    base_url: z.string(),
    panel_url: z.string(),
    links_url: z.string().meta({ description: 'The beginning of subscription links.' }),
    confirm_by: s.instant.nullable().meta({ description: 'The deadline for confirming the new listening address.' }),
    warnings: z.array(z.enum(ADDRESS_WARNINGS)).meta({ description: 'Why phones or machines may refuse an address.' }),
  })
  .meta({ id: 'Addresses' });
export type Addresses = z.output<typeof addresses>;

const example: Addresses = {
  host: '0.0.0.0',
  port: 8443,
  secret_path: 'qV3nT8xK1mR5wZ7yB2cD4fG6',
  sub_path: 'sub',
  public_address: null,
  public_url: null,
  host_names: [],
  trusted_proxies: [],
  links_port: null,
  links_host: '0.0.0.0',
  base_url: 'https://192.168.1.10:8443/qV3nT8xK1mR5wZ7yB2cD4fG6/api/v1',
  panel_url: 'https://192.168.1.10:8443/qV3nT8xK1mR5wZ7yB2cD4fG6/',
  links_url: 'https://192.168.1.10:8443/sub/',
  confirm_by: null,
  warnings: ['links_own_certificate'],
};

export const getAddresses = panelOperation({
  id: 'getAddresses',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the addresses',
  input: z.strictObject({}),
  output: addresses,
  example: { body: {}, reply: example },
});

export const changeAddresses = panelOperation({
  id: 'changeAddresses',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Change addresses',
  description:
    'Takes effect at the next request. A new listening address or port is tried beside the present one: open `confirm_url` within a minute, or the change is undone. Old paths get the constant reply at once.',
  input: z.strictObject({
    ...proof,
    host: fields.host.optional(),
    port: port.optional(),
    secret_path: secretPath.optional(),
    sub_path: subPath.optional(),
    public_address: fields.public_address.optional(),
    public_url: fields.public_url.optional(),
    host_names: fields.host_names.optional(),
    trusted_proxies: fields.trusted_proxies.optional(),
    links_port: fields.links_port.optional(),
    links_host: fields.links_host.optional(),
  }),
  output: z.object({
    addresses,
    confirm_url: z.string().nullable().meta({ description: 'The address for confirming; null: not needed.' }),
    confirm_token: z.string().nullable(),
  }),
  errors: [...PROOF_ERRORS, 'address_in_use'],
  example: {
    body: { password: 'correct horse battery', public_address: 'vpn.example.com' },
    reply: { addresses: { ...example, public_address: 'vpn.example.com' }, confirm_url: null, confirm_token: null },
  },
});

export const confirmAddresses = panelOperation({
  id: 'confirmAddresses',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Confirm the new listening address',
  description: 'Valid only at the new address; the previous listener then closes.',
  input: z.strictObject({ token: z.string().max(200) }),
  output: addresses,
  errors: ['not_found'],
  example: { body: { token: 'm4Qx…' }, reply: example },
});

export const REACH_OUTCOMES = ['reached', 'certificate', 'unreachable'] as const;

export const checkReach = panelOperation({
  id: 'checkReach',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Test the addresses of the panel',
  description:
    'Connects to each address from this machine, so that firewalls for others are not detected. `certificate`: it answers with a certificate for another address.',
  input: z.strictObject({}),
  output: z.object({
    tried: z
      .array(z.object({ base_url: z.string(), outcome: z.enum(REACH_OUTCOMES) }))
      .meta({ description: 'The present base_url first.' }),
  }),
  example: { body: {}, reply: { tried: [{ base_url: example.base_url, outcome: 'reached' as const }] } },
});

export const rotateSecretPath = panelOperation({
  id: 'rotateSecretPath',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Create a new secret path',
  description: 'Bots need the new base_url; the old path gets the constant reply from the next request.',
  input: z.strictObject(proof),
  output: addresses,
  errors: PROOF_ERRORS,
  example: { body: { password: 'correct horse battery' }, reply: example },
});
