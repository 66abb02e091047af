// Certificates of the listeners, importing and renewing them, and the local authority.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const CERTIFICATE_TARGETS = ['panel', 'links'] as const;
const target = z
  .enum(CERTIFICATE_TARGETS)
  .default('panel')
  .meta({ description: '`links`: the listener for links only.' });
const fingerprint = z.string().meta({ description: 'SHA-256, upper-case hex pairs with colons.' });

const served = z
  .object({
    target: z.enum(CERTIFICATE_TARGETS),
    source: z
      .enum(['local', 'imported', 'acme'])
      .meta({ description: '`local`: signed by the local authority. `acme`: issued by ACME.' }),
    subject: z.string(),
    issuer: z.string(),
    names: z.array(z.string()),
    fingerprint,
    not_before: s.instant,
    not_after: s.instant,
    days_left: z.int(),
    warning: z.enum(['ends_soon', 'ended', 'not_yet', 'import_damaged']).nullable().meta({
      description:
        '`ends_soon`: within 30 days; by ACME: a quarter of its lifetime is left. `import_damaged`: an imported one cannot be read, and this one is used instead.',
    }),
  })
  .meta({ id: 'Certificate' });
export type Certificate = z.output<typeof served>;

const authority = z
  .object({
    fingerprint,
    not_before: s.instant,
    not_after: s.instant,
    pem: z.string(),
    warning: z
      .enum(['ends_soon', 'ended', 'not_yet'])
      .nullable()
      .meta({ description: '`ends_soon`: within a year. It is replaced on request only.' }),
    replaced: z
      .object({ fingerprint: fingerprint.meta({ description: 'Of the former one.' }), at: s.instant })
      .nullable()
      .meta({
        description:
          'A previous authority that clients may still trust; null: none, or confirmed to be replaced everywhere.',
      }),
  })
  .meta({ id: 'Authority', description: 'The local authority, for the trust store of clients.' });
export type Authority = z.output<typeof authority>;

const exampleAuthority: Authority = {
  fingerprint: '12:34:56',
  not_before: '2026-11-20T09:00:00.000Z',
  not_after: '2036-11-20T09:00:00.000Z',
  pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
  warning: null,
  replaced: null,
};

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
  summary: 'Read the certificates in use',
  input: z.strictObject({}),
  output: z.object({
    mode: z.enum(['tls', 'proxy']).meta({
      id: 'CertificateMode',
      description:
        '`proxy`: the panel is served over plain HTTP, and a reverse proxy in front of it has the certificate.',
    }),
    served: z.array(served),
    authority: authority.nullable().meta({ description: 'null behind a reverse proxy.' }),
  }),
  example: {
    body: {},
    reply: {
      mode: 'tls',
      served: [example],
      authority: exampleAuthority,
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
    'Chain, key and dates are checked first; if one is invalid, the import is refused and the present certificate stays. Turns ACME off for this listener.',
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
  summary: 'Create a new certificate of the local authority',
  description:
    'Also replaces an imported certificate, or one by ACME, which is turned off for this listener. No connection is dropped.',
  input: z.strictObject({ ...proof, target }),
  output: served,
  errors: PROOF_ERRORS,
  example: { body: { password: 'correct horse battery' }, reply: example },
});

export const replaceAuthority = panelOperation({
  id: 'replaceAuthority',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Create a new local authority',
  description:
    'Clients that trust the present one then refuse the panel until they have the new CA file. The present files stay in the data folder under other names.',
  input: z.strictObject({ ...proof }),
  output: authority,
  errors: PROOF_ERRORS,
  example: {
    body: { password: 'correct horse battery' },
    reply: { ...exampleAuthority, replaced: { fingerprint: '65:43:21', at: '2026-11-20T10:00:00.000Z' } },
  },
});

export const confirmAuthority = panelOperation({
  id: 'confirmAuthority',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Confirm that clients trust the present local authority',
  description: 'Ends the reminder that it was replaced.',
  input: z.strictObject({}),
  output: authority,
  example: { body: {}, reply: exampleAuthority },
});
