// The shop of a demonstration: the test provider, its page, and its offers. Only `--demo` opens it: in any other panel the provider's
// address does not exist.
import { randomBytes } from 'node:crypto';
import type { Core } from '../core/kernel/core.ts';
import { secretPlace } from '../core/payments/providers.ts';
import type { Store, Vault } from '../core/ports/ports.ts';
import type { PaymentProviders } from '../core/ports/providers.ts';
import type { LinkDoor } from '../door/subscription.ts';
import { OFFERS, PLANS, PROMO } from './offer.ts';
import { createTestPage, TEST_PAGE } from './test-page.ts';
import { openTestProvider, SECRET_KEY, TEST_ROOT, WEBHOOK_SECRET } from './test-provider.ts';

export interface DemoShop {
  /** The panel's providers, with the test provider added. */
  withTestProvider(real: PaymentProviders): PaymentProviders;
  /** Adds the account and the offers, once. Adds neither if the vault cannot store secrets. */
  prepare(parts: { readonly store: Store; readonly vault: Vault; readonly now: number }): Promise<void>;
  /** The page of the test payment. */
  door(core: Pick<Core, 'settings' | 'shop'>, store: Pick<Store, 'providers'>): LinkDoor;
}

/** `subUrl`: returns an address below the sub path. */
export function openDemoShop(folder: string, subUrl: (path: string) => string): DemoShop {
  const provider = openTestProvider(folder, (id) => subUrl(`${TEST_PAGE}/${id}`));
  return {
    withTestProvider: provider.withTestProvider,
    async prepare({ store, vault, now }) {
      if (accountIn(store)) return;
      const isOpen = await vault.prepare().then(
        () => true,
        () => false,
      );
      if (!isOpen) return;
      store.write(() => {
        addAccount(store, vault, now);
        openShop(store, now);
      });
    },
    door: (core, store) => createTestPage({ provider, core, hookToken: () => accountIn(store)?.hookToken ?? null }),
  };
}

function accountIn({ providers }: Pick<Store, 'providers'>) {
  return providers.all().find(({ apiRoot }) => apiRoot === TEST_ROOT);
}

function addAccount(store: Store, vault: Vault, now: number): void {
  const id = store.providers.insert({
    kind: 'stripe',
    name: 'Test provider',
    isTest: true,
    account: 'acct_fake',
    fields: {},
    apiRoot: TEST_ROOT,
    allowPrivate: false,
    enabled: true,
    hookToken: randomBytes(24).toString('base64url'),
    okAt: now,
    error: null,
    missing: [],
    codes: [],
    refusedCurrencies: [],
    errorAt: null,
    createdAt: now,
    updatedAt: now,
  });
  store.sealed.save(vault.seal(secretPlace(id, 'secret_key'), SECRET_KEY));
  store.sealed.save(vault.seal(secretPlace(id, 'webhook_secret'), WEBHOOK_SECRET));
}

/** Adds offers for the demonstration's plans that were not changed, and a promo code. */
function openShop(store: Store, now: number): void {
  const times = { createdAt: now, updatedAt: now };
  store.settings.set({ selling: true });
  for (const [index, { name: plan }] of PLANS.entries()) {
    const tariffId = index + 1;
    if (store.tariffs.get(tariffId)?.name !== plan || store.sales.offers(tariffId).length > 0) continue;
    for (const { plan: of, ...offer } of OFFERS)
      if (of === plan) store.sales.insertOffer({ ...offer, tariffId, isOnSale: true, audience: 'all', ...times });
  }
  if (store.promos.byCode(PROMO.code)) return;
  store.promos.insert({ ...PROMO, ...ANY_PROMO, ...times });
}

const ANY_PROMO = {
  note: '',
  validFrom: null,
  validUntil: null,
  maxUses: null,
  maxUsesPerUser: null,
  tariffIds: null,
  offerIds: null,
  isEnabled: true,
} as const;
