// The places of a request in which a secret may come in by mistake or malice; nearly all are refused.
import type { WatchedPanel } from './canary-panel.ts';

/** Sends a secret in all of them. `key`: of full access. */
export async function sendCanary(panel: WatchedPanel, value: string, key: string): Promise<void> {
  const { at } = panel;
  const quoted = JSON.stringify(value);
  const coded = encodeURIComponent(value);
  const json = { 'content-type': 'application/json' };
  const post = (body: string, headers = {}) =>
    panel.send({ method: 'POST', path: '/users', headers: { ...json, ...headers }, body }, key);
  const get = (path: string, headers = {}) => panel.send({ method: 'GET', path, headers }, key);

  // JSON that breaks off, that says a thing twice, and JSON of another shape.
  await post(`{"name": ${quoted}`);
  await post(`{"name": ${quoted}, "name": ${quoted}, "tariff_id": 1}`);
  await post(JSON.stringify({ name: { first: value }, tariff_id: 1 }));
  await panel.operate('signIn', `{"name": "admin", "password": ${quoted}`);
  await panel.operate('signIn', { name: [value], password: 'x' });
  // The wrong field, and far too long.
  await post(JSON.stringify({ name: 'x', tariff_id: value }));
  await post(JSON.stringify({ name: 'x', tariff_id: 1, expires_at: value }));
  await post(JSON.stringify({ name: value.repeat(100), tariff_id: 1 }));
  await panel.operate('updateSettings', { time_zone: value });
  await panel.operate('changeAddresses', { password: 'x', public_url: value });
  // Queries, paths and headers.
  for (const query of ['state', 'limit', 'cursor', 'sort', 'expires_before']) await get(`/users?${query}=${coded}`);
  await get(`/events?after=${coded}`);
  await get(`/users/${coded}`);
  await get(`/${coded}`);
  await panel.operate(value);
  await get('/users', { accept: value });
  await post('{}', { 'content-type': value });
  await post('{}', { 'idempotency-key': value.repeat(20) });
  await panel.send({ method: 'PATCH', path: '/users/1', headers: { ...json, 'if-match': value }, body: '{}' }, key);
  await panel.send({ method: 'GET', path: '/users' }, value);
  // These succeed in asking and tell how the API has refused.
  const tried = [
    await panel.operate('tryApi', { path: `/users?state=${coded}`, key }),
    await panel.operate('tryApi', { path: '/users', key: value }),
  ];
  panel.refused.push(...tried.filter(({ body }) => Number(body.status) >= 400).map(({ text }) => text));
  // Outside the secret path, and in what a browser adds.
  await get(`${at.origin}/${coded}`);
  await get(`${at.origin}/sub/${coded}`);
  await get('/users', { referer: `${at.origin}/${coded}` });
}
