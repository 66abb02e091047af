// The page's half of the session token: stored, passed on to another address of the panel, and never taken from a foreign link.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const stored = new Map<string, string>();
let isDenied = false;
const address = { hash: '' };

const deny = () => {
  if (isDenied) throw new DOMException('denied', 'SecurityError');
};

beforeEach(() => {
  vi.resetModules();
  stored.clear();
  isDenied = false;
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => {
      deny();
      return stored.get(name) ?? null;
    },
    setItem: (name: string, value: string) => {
      deny();
      stored.set(name, value);
    },
    removeItem: (name: string) => {
      deny();
      stored.delete(name);
    },
  });
  vi.stubGlobal('location', address);
  vi.stubGlobal('history', {
    state: null,
    replaceState: (_state: unknown, _title: string, hash: string) => {
      address.hash = hash;
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

const load = () => import('./session-secret.ts');

it('is stored, and forgotten', async () => {
  const { sessionSecret } = await load();
  expect(sessionSecret.read()).toBeNull();
  sessionSecret.write('half');
  expect([sessionSecret.read(), [...stored.values()]]).toEqual(['half', ['half']]);
  sessionSecret.write(null);
  expect([sessionSecret.read(), stored.size]).toEqual([null, 0]);
});

it('lasts as long as the page where the browser denies storage', async () => {
  isDenied = true;
  const { sessionSecret } = await load();
  sessionSecret.write('half');
  expect(sessionSecret.read()).toBe('half');
  sessionSecret.write(null);
  expect(sessionSecret.read()).toBeNull();
});

it('goes to another address of the panel behind the #, where it is taken and removed from the address', async () => {
  const from = await load();
  expect(from.withSessionSecret('https://panel:9443/s/#/confirm?token=t')).toBe(
    'https://panel:9443/s/#/confirm?token=t',
  );
  from.sessionSecret.write('half/of it');
  const urls = ['https://panel:9443/s/#/confirm?token=t', 'https://panel:9443/s/#/confirm', 'https://panel:9443/s/'];
  const handed = urls.map((url) => new URL(from.withSessionSecret(url)).hash);
  expect(handed).toEqual([
    '#/confirm?token=t&session=half%2Fof%20it',
    '#/confirm?session=half%2Fof%20it',
    '#/?session=half%2Fof%20it',
  ]);

  for (const [index, hash] of handed.entries()) {
    vi.resetModules();
    stored.clear();
    address.hash = hash;
    const there = await load();
    there.adoptSessionSecret();
    expect(there.sessionSecret.read()).toBe('half/of it');
    expect(address.hash).toBe(['#/confirm?token=t', '#/confirm', '#/'][index]);
  }
});

it('is not replaced by what a link names', async () => {
  const { sessionSecret, adoptSessionSecret } = await load();
  sessionSecret.write('own');
  address.hash = '#/users?session=planted&q=anna';
  adoptSessionSecret();
  expect([sessionSecret.read(), address.hash]).toEqual(['own', '#/users?q=anna']);
});
