// The HTTP-01 listener answers an authority while other clients occupy connections.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openHttpAnswers } from './challenges.ts';

/** More silent connections than one network may open. */
const SILENT = 300;

// On macOS 127.0.0.2 is not an address of the machine.
it.skipIf(process.platform === 'darwin')(
  'answers while another network holds all connections that it may',
  async () => {
    const answers = await openHttpAnswers(0);
    answers.add({ token: 'token', keyAuthorization: 'token.thumbprint' });
    const place = { host: '127.0.0.1', port: answers.port };
    const silent = Array.from({ length: SILENT }, () => connect(place));
    const connected = Promise.all(silent.map((socket) => once(socket, 'connect')));
    // Connections above the share of their network are closed.
    for (const socket of silent) socket.on('error', () => undefined);
    await connected;
    const asked = get({ ...place, localAddress: '127.0.0.2', path: '/.well-known/acme-challenge/token' });
    const [reply] = (await once(asked, 'response')) as [IncomingMessage];
    expect([reply.statusCode, await text(reply)]).toEqual([200, 'token.thumbprint']);
    for (const socket of silent) socket.destroy();
    await answers.close();
  },
);
