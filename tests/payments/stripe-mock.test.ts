// Requests to Stripe against stripe-mock, which refuses what Stripe's own description of its API does not allow.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { systemClock, systemTimers } from '../../src/adapters/clock.ts';
import { createOutboundClient } from '../../src/adapters/outbound-client.ts';
import type { ProviderAccess } from '../../src/core/ports/providers.ts';
import { createProviders } from '../../src/payments/providers.ts';
import { freePort } from '../support/free-port.ts';

const found = inject('providers')['stripe-mock'];
const reason = 'missing' in found ? found.missing : '';

describe.skipIf(reason !== '')(`stripe-mock ${reason}`.trim(), () => {
  const client = createOutboundClient({
    timers: systemTimers,
    timeoutMs: 60_000,
    maxReplyBytes: 2 ** 20,
    reply: 'read',
    reusesConnections: false,
  });
  const providers = createProviders({ client, clock: systemClock, timers: systemTimers });
  const started = Promise.withResolvers<{ readonly access: ProviderAccess; stop(): Promise<void> }>();

  beforeAll(async () => {
    if (!('path' in found)) return;
    const port = await freePort();
    const child = spawn(found.path, ['-http-port', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk;
        if (said.includes('Listening')) resolve();
      });
      void exit.then(() => reject(new Error(said)));
    });
    const access: ProviderAccess = {
      id: 1,
      kind: 'stripe',
      isTest: true,
      apiRoot: `http://127.0.0.1:${port}`,
      allowPrivate: true,
      proxy: null,
      fields: { secret_key: 'sk_test_123' },
    };
    started.resolve({
      access,
      async stop() {
        child.kill('SIGKILL');
        await exit;
      },
    });
  });
  afterAll(async () => {
    providers.close();
    await (await started.promise).stop();
  });

  it('takes every request that is made to Stripe', async () => {
    const { access } = await started.promise;
    expect(await providers.probe(access)).toMatchObject({ isTest: true });
    const restricted = { ...access, fields: { secret_key: 'rk_test_123' } };
    expect(await providers.probe(restricted)).toMatchObject({ isTest: true });
    const opened = await providers.open(access, {
      token: 'order_0123456789abcdef',
      idempotencyKey: 'key_0123456789abcdef',
      price: { amount: 1500, currency: 'USD' },
      title: 'A month',
      returnUrl: 'https://panel.example/sub/abc',
      hookUrl: null,
      email: 'buyer@example.com',
      isRetry: false,
    });
    expect(opened).toEqual({ externalId: expect.stringMatching(/^cs_/), payUrl: expect.any(String) });
    const externalId = 'externalId' in opened ? opened.externalId : null;
    // Taken, but its sample of a session has no currency, which one that can be paid has.
    const read = await providers.read(access, { externalId, token: 'order_0123456789abcdef' });
    expect(read).toMatchObject({ error: 'malformed' });
    expect(await providers.read(access, { externalId: null, token: 'none' })).toEqual({ payments: [] });
    // Its sample of a session is open, whatever is done to it.
    expect(await providers.end(access, { externalId, token: '' })).toEqual({ isEnded: false });
    expect(await providers.since(access, null)).toMatchObject({ hasMore: false });
    const price = { amount: 1500, currency: 'USD' };
    const refund = { externalId: externalId ?? '', buyer: null, price, idempotencyKey: 'refund_0123456789' };
    expect(await providers.refund(access, refund)).toEqual({
      isDone: true,
      refundId: expect.stringMatching(/^re_/),
    });
  });

  it('refuses what Stripe refuses', async () => {
    const { access } = await started.promise;
    const wrong = { ...access, fields: { secret_key: 'wrong' } };
    expect(await providers.probe(wrong)).toMatchObject({ error: 'unauthorized' });
  });
});
