// Links of other panels at the door: what is looked up tells nothing, and the budget of one is that of its user.
import { beforeEach, expect, it } from 'vitest';
import type { Subscription } from '../core/kernel/core.ts';
import type { RenderedSubscription } from '../subscription/render.ts';
import { createSubscriptionDoor, type LinkRequest, type SubscriptionDoorParts } from './subscription.ts';

const USER = 7;
const TOKEN = 'token-of-another-panel';
const subscription = { user: { id: USER }, url: 'https://vpn.example.com/sub/own' } as unknown as Subscription;
const rendered: RenderedSubscription = {
  status: 200,
  headers: {},
  body: 'vless://',
  choice: {} as RenderedSubscription['choice'],
};

let looked: string[];
let open: ReturnType<typeof createSubscriptionDoor>;

beforeEach(() => {
  looked = [];
  open = createSubscriptionDoor({
    core: {
      recordLinkRead: () => {},
      subscription: () => null,
      importedSubscription(token) {
        looked.push(token);
        return token === TOKEN ? subscription : null;
      },
      settings: () => ({}) as ReturnType<SubscriptionDoorParts['core']['settings']>,
    },
    clock: { now: () => 0 },
    render: () => rendered,
    log: { error: () => {} },
    rateRule: () => ({ perMinute: 1, burst: 1 }),
  });
});

const request = (path: string, isStray = false, method = 'GET'): LinkRequest => ({
  id: 'r',
  isStray,
  method,
  path,
  query: '',
  headers: {},
  allHeaders: {},
  body: '',
  address: '192.0.2.1',
});

it.each([
  ['a wrong link', '/wrong-token-of-someone', false, 'GET'],
  ['one of two segments', '/ann/wrong-token-of-someone', false, 'GET'],
  ['one with a format', '/ann/sing-box', false, 'GET'],
  ['a token that can be guessed', '/short', false, 'GET'],
  ['another method', '/wrong-token-of-someone', false, 'POST'],
  ['a path of nothing', '/a/b/c/d/e', false, 'GET'],
  ['a path that is not one', '/%zz', false, 'GET'],
  ['a stray', '/sub/wrong-token-of-someone', true, 'GET'],
  ['a stray link', `/sub/${TOKEN}`, true, 'GET'],
  ['a long stray', '/a/b/c/d/e', true, 'GET'],
])('%s costs as many look-ups as any other', (_name, path, isStray, method) => {
  // More often than tokens that can be guessed are tried.
  for (let time = 0; time < 20; time += 1) {
    looked = [];
    expect(open(request(path, isStray, method))).toBeNull();
    expect(looked).toHaveLength(2);
  }
});

it('has one budget for all spellings of a link', () => {
  const spellings = [`/${TOKEN}`, `/${TOKEN}/`, `/%74${TOKEN.slice(1)}`, `/${TOKEN}/sing-box`];
  const statuses = Array.from({ length: 80 }, (_, index) => open(request(spellings[index % 4] ?? ''))?.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
});
