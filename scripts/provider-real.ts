// `npm run provider:real -- <kind> --fields <file> [--amount 100] [--currency EUR]`: holds an adapter against the provider itself, with an account of your own
// (test keys, where the provider has them). The file is JSON with the fields that the form of the account asks for. It makes one invoice, which
// need not be paid, and says of each step whether the provider answered as the adapter expects.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { systemClock, systemTimers } from '../src/adapters/clock.ts';
import { nodeCrypto } from '../src/adapters/crypto.ts';
import { createOutboundClient, isRefusedUrl } from '../src/adapters/outbound-client.ts';
import { PROVIDER_KINDS } from '../src/contract/sales/providers.ts';
import type { ProviderAccess, ProviderFailure } from '../src/core/ports/providers.ts';
import { CLIENT_BOUNDS, createProviders, providerFacts } from '../src/payments/providers.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fields: { type: 'string' },
    amount: { type: 'string', default: '100' },
    currency: { type: 'string' },
  },
});
const kind = PROVIDER_KINDS.find((one) => one === positionals[0]);
if (kind === undefined) throw new Error(`Name a kind of provider: ${PROVIDER_KINDS.join(', ')}.`);
if (values.fields === undefined) throw new Error('Name the file with the fields of the account: --fields <file>.');
const fields: Record<string, string> = JSON.parse(readFileSync(values.fields, 'utf8'));
const amount = Number(values.amount);
const currency = values.currency ?? ['XTR', 'RUB', 'EUR'].find((one) => one in providerFacts(kind).prices) ?? 'EUR';
const client = createOutboundClient({ timers: systemTimers, ...CLIENT_BOUNDS });
const providers = {
  isRefused: isRefusedUrl,
  ...createProviders({ client, clock: systemClock, timers: systemTimers }),
};
const access: ProviderAccess = { id: 1, kind, isTest: false, fields, apiRoot: null, allowPrivate: false, proxy: null };

/** Says how a step went; null where it failed. */
function report<T extends object>(name: string, outcome: T | ProviderFailure): T | null {
  const isFailed = 'error' in outcome;
  console.log(`${isFailed ? 'FAILED' : 'done'}  ${name}: ${JSON.stringify(outcome)}`);
  if (!isFailed) return outcome as T;
  process.exitCode = 1;
  return null;
}

report('keys', await providers.probe(access));
const token = `gh_${nodeCrypto.uuid().replaceAll('-', '')}`;
const invoice = report(
  'invoice',
  await providers.open(access, {
    token,
    idempotencyKey: nodeCrypto.uuid(),
    price: { amount, currency },
    title: 'Test of the panel',
    returnUrl: 'https://example.com/',
    hookUrl: null,
    email: 'buyer@example.com',
    isRetry: false,
  }),
);
if (invoice !== null) {
  console.log(`It can be paid at ${invoice.payUrl}`);
  const read = await providers.read(access, { externalId: invoice.externalId, token });
  // The Bot API reads by its list alone.
  if (!('error' in read) || read.error !== 'unsupported') report('reading it', read);
}
report('list', await providers.since(access, { from: systemClock.now() - 3_600_000 }));
providers.close();
