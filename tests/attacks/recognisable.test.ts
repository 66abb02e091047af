// What a stranger without the secret path learns of the machine: the same reply for everything, and a certificate without a telling name.
import { hostname, networkInterfaces } from 'node:os';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { exchangeRaw, requestText } from '../support/raw-socket.ts';
import { openAttacked } from './attacked.ts';

test('a wrong link, a wrong path and a wrong secret path are one reply, and the certificate names what is listened on alone', async () => {
  await using attacked = await openAttacked();
  const { panel, ca } = attacked;
  const { hostname: host, port } = new URL(panel.panelUrl);
  const target = { host, port: Number(port), ca };
  const sendRequest = async (path: string) => {
    const reply = await exchangeRaw(target, requestText(`GET ${path} HTTP/1.1`, [`Host: ${host}:${port}`]));
    return reply.replace(/^Date: .*\r\n/m, '');
  };
  const token = 'z'.repeat(43);
  const replies = [
    await sendRequest(`/sub/${token}`),
    await sendRequest(`/sub/${token}?format=links`),
    await sendRequest(`/${token}`),
    await sendRequest(`/${token}/panel/panelState`),
    await sendRequest('/'),
  ];
  expect(new Set(replies).size).toBe(1);
  expect(replies[0]).toBe('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');

  const socket = tls.connect(target);
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const chain = socket.getPeerCertificate(true);
  socket.destroy();
  expect(chain.subjectaltname).toBe('IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:localhost');
  const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const known = [hostname(), 'Local CA', 'Gatehouse', ...others.map(({ address }) => address)];
  const names = JSON.stringify([chain.subject, chain.issuer, chain.issuerCertificate.subject]).toLowerCase();
  for (const word of known) expect(names).not.toContain(word.toLowerCase());
});
