// Certificates by ACME (RFC 8555): configuration, status, and the last failure.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { CERTIFICATE_TARGETS } from './certificates.ts';

/** Directories of Let's Encrypt: production and staging. */
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
    '`port_in_use`, `port_forbidden`: the panel cannot listen on the port for HTTP-01. `unreachable`: the authority does not answer. `no_challenge`: it does not offer this challenge. `refused`: `detail` is its reason. `rate_limited`: it limits the rate. `timed_out`: it made no decision in time. `unusable`: the issued certificate cannot be used. `interrupted`: the panel stopped during the order. `internal`: the panel failed; its log has the cause.',
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
    .meta({ description: 'The URL of the ACME directory.' }),
  email: s.email.nullable().meta({ description: 'The e-mail address for the authority; null: none.' }),
  names: z
    .array(dnsName)
    .min(1)
    .max(20)
    .refine((names) => new Set(names).size === names.length, { message: 'has a name twice' })
    .meta({ description: 'The names in the certificate. Each must resolve to this machine.' }),
  challenge: z.enum(ACME_CHALLENGES).meta({
    id: 'AcmeChallenge',
    description:
      'How control of the names is proven. `http-01`: the authority connects to port 80. `tls-alpn-01`: to port 443, which must lead to a listener of the panel.',
  }),
  http_port: z.int().min(1).max(65_535).meta({
    description: 'The port of the listener during a challenge of `http-01`; port 80 of the names must lead to it.',
  }),
  targets: z
    .array(z.enum(CERTIFICATE_TARGETS))
    .min(1)
    .max(CERTIFICATE_TARGETS.length)
    .refine((targets) => new Set(targets).size === targets.length, { message: 'has a listener twice' })
    .meta({ description: 'The listeners that use the certificate.' }),
};

const acmeSettings = z.object(fields).meta({ id: 'AcmeSettings', description: 'The configuration of ACME.' });

const failure = z
  .object({
    code: acmeFailureCode,
    at: s.instant.meta({ description: 'When the order failed.' }),
    name: z.string().nullable().meta({ description: 'The affected name; null: all, or unknown.' }),
    type: z.string().nullable().meta({
      description: 'The type of the problem as the authority names it (RFC 8555, 6.7), as in `dns`; null: none.',
    }),
    detail: z.string().nullable().meta({ description: 'The message of the authority or the system; null: none.' }),
  })
  .meta({ id: 'AcmeFailure', description: 'Why the last order failed.' });

const acme = z
  .object({
    settings: acmeSettings.nullable().meta({ description: 'null: certificates by ACME are off.' }),
    status: z.enum(['off', 'waiting', 'ordering', 'active', 'failing']).meta({
      id: 'AcmeStatus',
      description:
        '`waiting`: before the first order. `ordering`: an order runs. `active`: there is a certificate. `failing`: the last order failed; a previous certificate stays in use.',
    }),
    not_after: s.instant.nullable().meta({ description: 'When the certificate by ACME expires; null: there is none.' }),
    next_order_at: s.instant
      .nullable()
      .meta({ description: 'The next order: the renewal, or the next attempt. null: off, or an order runs.' }),
    failures: z.int().min(0).meta({ description: 'The number of failed orders in a row.' }),
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
  summary: 'Read the status of certificates by ACME',
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
  summary: 'Set up certificates by ACME',
  description:
    'Also changes the configuration. The order starts within seconds, unless there is a certificate of the same authority for the same names, or there were too many orders in the last hour. The present certificate stays in use until then.',
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
  description: 'Starts within seconds, or an hour after the fourth last order. Has no effect if none has failed.',
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
  description: 'Their listeners get a certificate of the local authority. The account key is kept.',
  input: z.strictObject(proof),
  output: acme,
  errors: PROOF_ERRORS,
  example: {
    body: { password: 'correct horse battery' },
    reply: { settings: null, status: 'off', not_after: null, next_order_at: null, failures: 0, failure: null },
  },
});
