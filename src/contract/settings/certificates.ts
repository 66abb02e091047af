// Certificates: what is served, an own one imported, a new one made, and the local authority that machines can trust.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const CERTIFICATE_TARGETS = ['panel', 'links'] as const;
const target = z
  .enum(CERTIFICATE_TARGETS)
  .default('panel')
  .meta({ description: '`links`: of the listener for links only.' });
const fingerprint = z.string().meta({ description: 'SHA-256, upper-case hex pairs with colons.' });

const served = z
  .object({
    target: z.enum(CERTIFICATE_TARGETS),
    source: z
      .enum(['local', 'imported', 'acme'])
      .meta({ description: '`local`: signed by the local authority. `acme`: ordered from one by ACME.' }),
    subject: z.string(),
    issuer: z.string(),
    names: z.array(z.string()),
    fingerprint,
    not_before: s.instant,
    not_after: s.instant,
    days_left: z.int(),
    warning: z
      .enum(['ends_soon', 'ended', 'not_yet'])
      .nullable()
      .meta({ description: '`ends_soon`: within 30 days; by ACME: a quarter of its lifetime is left.' }),
  })
  .meta({ id: 'Certificate' });
export type Certificate = z.output<typeof served>;

const authority = z
  .object({ fingerprint, not_after: s.instant, pem: z.string() })
  .meta({ id: 'Authority', description: 'The local authority, for the trust store of the machines that call.' });

const example: Certificate = {
  target: 'panel',
  source: 'local',
  subject: 'CN=panel',
  issuer: 'CN=Local authority',
  names: ['127.0.0.1', '192.168.1.10', 'localhost'],
  fingerprint: 'AB:CD:EF',
  not_before: '2026-11-20T09:00:00.000Z',
  not_after: '2027-12-20T09:00:00.000Z',
  days_left: 394,
  warning: null,
};

export const getCertificates = panelOperation({
  id: 'getCertificates',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read what certificates are served',
  input: z.strictObject({}),
  output: z.object({ served: z.array(served), authority }),
  example: {
    body: {},
    reply: {
      served: [example],
      authority: {
        fingerprint: '12:34:56',
        not_after: '2036-11-20T09:00:00.000Z',
        pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
      },
    },
  },
});

export const importCertificate = panelOperation({
  id: 'importCertificate',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Import a certificate',
  description:
    'Chain, key and dates are checked first; a bad one is refused and the one that runs stays. Ends ACME for this listener.',
  input: z.strictObject({
    ...proof,
    target,
    certificate: z.string().max(200_000).meta({ description: 'PEM: the leaf first, then the chain.' }),
    private_key: z.string().max(50_000).meta({ description: 'PEM, not encrypted.' }),
  }),
  output: served,
  errors: PROOF_ERRORS,
  example: {
    body: {
      password: 'correct horse battery',
      certificate: '-----BEGIN CERTIFICATE-----\n…',
      private_key: '-----BEGIN PRIVATE KEY-----\n…',
    },
    reply: { ...example, source: 'imported' },
  },
});

export const renewCertificate = panelOperation({
  id: 'renewCertificate',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Make a new certificate of the local authority',
  description:
    'Also in place of an imported one or one by ACME, which ends for this listener. No connection is dropped.',
  input: z.strictObject({ ...proof, target }),
  output: served,
  errors: PROOF_ERRORS,
  example: { body: { password: 'correct horse battery' }, reply: example },
});
