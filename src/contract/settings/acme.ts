// Certificates by ACME (RFC 8555): what is asked for, how it stands, and why the last order failed.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { CERTIFICATE_TARGETS } from './certificates.ts';

/** Directories of Let's Encrypt: for use, and for trying out. */
export const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';
export const LETS_ENCRYPT_STAGING = 'https://acme-staging-v02.api.letsencrypt.org/directory';

export const ACME_CHALLENGES = ['http-01', 'tls-alpn-01'] as const;
export type AcmeChallenge = (typeof ACME_CHALLENGES)[number];

/** Why an order failed, in the order of its steps. */
export const ACME_FAILURES = [
  'port_in_use',
  'port_forbidden',
  'unreachable',
  'no_challenge',
  'refused',
  'rate_limited',
  'timed_out',
  'unusable',
  'interrupted',
  'internal',
] as const;
export type AcmeFailureCode = (typeof ACME_FAILURES)[number];
export const acmeFailureCode = z.enum(ACME_FAILURES).meta({
  id: 'AcmeFailureCode',
  description:
    '`port_in_use`, `port_forbidden`: the port of HTTP-01 cannot be listened on. `unreachable`: the authority does not answer. `no_challenge`: it does not offer this challenge. `refused`: `detail` is its reason. `rate_limited`: it asks for a pause. `timed_out`: it came to no decision. `unusable`: what it issued cannot be served. `interrupted`: the panel stopped meanwhile. `internal`: the panel failed; its log has the cause.',
});

const dnsName = z
  .string()
  .max(253)
  .toLowerCase()
  .regex(/^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])$/)
  .meta({
    description: 'A public DNS name, without a wildcard. Names in other scripts are written in Punycode (`xn--…`).',
  });

const fields = {
  directory_url: z
    .url({ protocol: /^https$/ })
    .max(300)
    .meta({ description: 'Where the authority describes itself: the ACME directory.' }),
  email: z.email().max(200).nullable().meta({ description: 'Where the authority may write to; null: nowhere.' }),
  names: z
    .array(dnsName)
    .min(1)
    .max(20)
    .refine((names) => new Set(names).size === names.length, { message: 'has a name twice' })
    .meta({ description: 'What the certificate is for. Each must resolve to this machine.' }),
  challenge: z.enum(ACME_CHALLENGES).meta({
    id: 'AcmeChallenge',
    description:
      'How control of the names is shown. `http-01`: the authority connects to port 80. `tls-alpn-01`: to port 443, which must lead to a listener of the panel.',
  }),
  http_port: z.int().min(1).max(65_535).meta({
    description:
      'The port that is listened on while a challenge of `http-01` runs; port 80 of the names must lead to it.',
  }),
  targets: z
    .array(z.enum(CERTIFICATE_TARGETS))
    .min(1)
    .max(CERTIFICATE_TARGETS.length)
    .refine((targets) => new Set(targets).size === targets.length, { message: 'has a listener twice' })
    .meta({ description: 'The listeners that serve the certificate.' }),
};

const acmeSettings = z.object(fields).meta({ id: 'AcmeSettings', description: 'What is ordered, from whom, and how.' });

const failure = z
  .object({
    code: acmeFailureCode,
    at: s.instant.meta({ description: 'When the order failed.' }),
    name: z.string().nullable().meta({ description: 'The name that it is about; null: all, or unknown.' }),
    type: z.string().nullable().meta({
      description: 'The type of the problem as the authority names it (RFC 8555, 6.7), as in `dns`; null: none.',
    }),
    detail: z.string().nullable().meta({ description: "The authority's or the system's own words; null: none." }),
  })
  .meta({ id: 'AcmeFailure', description: 'Why the last order failed.' });

const acme = z
  .object({
    settings: acmeSettings.nullable().meta({ description: 'null: certificates by ACME are off.' }),
    status: z.enum(['off', 'waiting', 'ordering', 'active', 'failing']).meta({
      id: 'AcmeStatus',
      description:
        '`waiting`: the first order is to come. `ordering`: one runs. `active`: there is a certificate. `failing`: the last order failed; a certificate from before goes on being served.',
    }),
    not_after: s.instant.nullable().meta({ description: 'The end of the certificate by ACME; null: there is none.' }),
    next_order_at: s.instant
      .nullable()
      .meta({ description: 'When the next order begins: the renewal, or the next attempt. null: off, or one runs.' }),
    failures: z.int().min(0).meta({ description: 'How many orders have failed in a row.' }),
    failure: failure.nullable().meta({ description: 'null: the last order succeeded, or there was none.' }),
  })
  .meta({ id: 'Acme', description: 'Certificates by ACME.' });
export type Acme = z.output<typeof acme>;

const settingsExample = {
  directory_url: LETS_ENCRYPT,
  email: 'admin@example.com',
  names: ['panel.example.com'],
  challenge: 'http-01' as const,
  http_port: 80,
  targets: ['panel' as const],
};

const example: Acme = {
  settings: settingsExample,
  status: 'active',
  not_after: '2027-02-18T09:00:00.000Z',
  next_order_at: '2027-01-19T09:00:00.000Z',
  failures: 0,
  failure: null,
};

export const getAcme = panelOperation({
  id: 'getAcme',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read how certificates by ACME stand',
  input: z.strictObject({}),
  output: acme,
  example: { body: {}, reply: example },
});

export const setUpAcme = panelOperation({
  id: 'setUpAcme',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Order certificates by ACME',
  description:
    'Also to change how. The order begins within seconds, unless there is a certificate of the same authority for the same names, or there were too many orders in the last hour. What is served stays until there is another.',
  input: z.strictObject({
    ...proof,
    ...fields,
    directory_url: fields.directory_url.default(LETS_ENCRYPT),
    email: fields.email.default(null),
    challenge: fields.challenge.default('http-01'),
    http_port: fields.http_port.default(80),
    targets: fields.targets.default([...CERTIFICATE_TARGETS]),
    agrees_to_terms: z
      .literal(true)
      .meta({ description: "The administrator has read the authority's terms of service and agrees to them." }),
  }),
  output: acme,
  errors: PROOF_ERRORS,
  example: {
    body: { password: 'correct horse battery', names: ['panel.example.com'], agrees_to_terms: true },
    reply: { ...example, status: 'waiting', not_after: null, next_order_at: '2026-11-20T09:00:00.000Z' },
  },
});

export const retryAcme = panelOperation({
  id: 'retryAcme',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Repeat a failed order by ACME',
  description:
    'Within seconds, or once an hour has passed since the fourth last order. Does nothing where none has failed.',
  input: z.strictObject({}),
  output: acme,
  example: { body: {}, reply: { ...example, status: 'waiting', not_after: null } },
});

export const turnOffAcme = panelOperation({
  id: 'turnOffAcme',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Turn certificates by ACME off',
  description: 'The listeners that served one get one of the local authority. The account key stays for another time.',
  input: z.strictObject(proof),
  output: acme,
  errors: PROOF_ERRORS,
  example: {
    body: { password: 'correct horse battery' },
    reply: { settings: null, status: 'off', not_after: null, next_order_at: null, failures: 0, failure: null },
  },
});
