// The server around the doors: TLS, its stop, its connections.
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { type DoorOptions, openDoor, type TestDoor } from '../../tests/support/door.ts';
import { FULL_KEY, SECRET_PATH } from '../../tests/support/fake-core.ts';
import { exchangeRaw, readReply } from '../../tests/support/raw-http.ts';
import { issueAuthority, issueLeaf } from '../adapters/certificates/issuer.ts';

const open: TestDoor[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((door) => door.close()));
});
async function start(options?: DoorOptions): Promise<TestDoor> {
  const door = await openDoor(options);
  open.push(door);
  return door;
}

async function identity() {
  const now = new Date();
  const validity = { from: now.getTime() - 1000, to: now.getTime() + 3_600_000 };
  const authority = await issueAuthority(validity);
  const leaf = await issueLeaf(authority, ['127.0.0.1', 'localhost'], validity);
  return { tls: { key: leaf.key, cert: `${leaf.pem}\n${authority.pem}\n` }, ca: authority.pem };
}

const GET = `GET /${SECRET_PATH}/api/v1/users/7 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${FULL_KEY}\r\n`;

describe('TLS', () => {
  function get(port: number, ca: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const path = `/${SECRET_PATH}/api/v1/users/7`;
      const headers = { authorization: `Bearer ${FULL_KEY}` };
      httpsRequest({ host: '127.0.0.1', port, path, ca, headers, agent: false }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      })
        .on('error', reject)
        .end();
    });
  }

  it('serves by a certificate that can be replaced while it runs', async () => {
    const [first, second] = [await identity(), await identity()];
    const { port, server } = await start({ tls: first.tls });
    expect(await get(port, first.ca)).toBe(200);
    server.replaceCertificate(second.tls);
    expect(await get(port, second.ca)).toBe(200);
    await expect(get(port, first.ca)).rejects.toThrow(/certificate/);
  });

  it('closes what comes in plain HTTP or in an old version, without a word', async () => {
    const { tls } = await identity();
    const { port } = await start({ tls });
    expect(await exchangeRaw(port, `${GET}\r\n`)).not.toContain('HTTP/');
    const old = new Promise((resolve, reject) => {
      const options = { rejectUnauthorized: false, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
      tlsConnect({ port, host: '127.0.0.1', ...options }, () => resolve('connected')).on('error', reject);
    });
    await expect(old).rejects.toThrow();
  });
});

describe('close', () => {
  it('finishes a running reply and then its connection, and takes no new one', async () => {
    const door = await openDoor();
    let finish = () => {};
    const isRunning = new Promise<void>((running) => {
      door.core.answer = () => {
        running();
        return new Promise((resolve) => {
          finish = () => resolve({ status: 204, body: undefined });
        });
      };
    });
    const reply = exchangeRaw(door.port, `${GET.replace('GET', 'DELETE')}\r\n`);
    await isRunning;
    const closed = door.close(60_000);
    finish();
    expect(readReply(await reply)).toMatchObject({ status: 204 });
    expect(readReply(await reply).headers.get('connection')).toBe('close');
    await closed;
    expect(door.server.address()).toBeNull();
    await expect(exchangeRaw(door.port, `${GET}\r\n`)).rejects.toThrow('ECONNREFUSED');
  });

  it('cuts what does not end within its grace', async () => {
    const door = await openDoor();
    const isRunning = new Promise<void>((running) => {
      door.core.answer = () => {
        running();
        return new Promise(() => {});
      };
    });
    const reply = exchangeRaw(door.port, `${GET.replace('GET', 'DELETE')}\r\n`);
    await isRunning;
    await door.server.close(0);
    expect(await reply).toBe('');
  });

  it('does not wait for idle connections', async () => {
    const door = await openDoor();
    const socket = connect(door.port, '127.0.0.1');
    const isIdle = new Promise((resolve) => socket.once('data', resolve));
    const isClosed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`${GET}\r\n`);
    await isIdle;
    await door.server.close(60_000);
    await isClosed;
  });
});

describe('retire', () => {
  it('answers what has arrived, though the grace is over, and ends the connection with it', async () => {
    const door = await openDoor();
    let finish = () => {};
    const isRunning = new Promise<void>((running) => {
      door.core.answer = () => {
        running();
        return new Promise((resolve) => {
          finish = () => resolve({ status: 204, body: undefined });
        });
      };
    });
    const reply = exchangeRaw(door.port, `${GET.replace('GET', 'DELETE')}\r\n`);
    await isRunning;
    const retired = door.server.retire(0);
    // Timers of the same length run in their order: connections have been cut by then.
    await new Promise((resolve) => setTimeout(resolve, 1));
    finish();
    expect(readReply(await reply)).toMatchObject({ status: 204 });
    expect(readReply(await reply).headers.get('connection')).toBe('close');
    await retired;
  });

  it('answers what has arrived while the reply before it is still on its way', async () => {
    const door = await openDoor();
    // More than the buffers of a connection hold.
    let finish = () => {};
    const isRunning = new Promise<void>((running) => {
      door.core.answer = () => {
        door.core.answer = () => {
          running();
          return new Promise((resolve) => {
            finish = () => resolve({ status: 204, body: undefined });
          });
        };
        return { status: 200, body: 'x'.repeat(2 ** 24) };
      };
    });
    const socket = connect(door.port, '127.0.0.1').pause();
    socket.write(`${GET}\r\n${GET.replace('GET', 'DELETE')}\r\n`);
    await isRunning;
    const retired = door.server.retire(60_000);
    finish();
    const received = await text(socket);
    expect(received.slice(0, 20)).toContain('200');
    expect(readReply(received.slice(received.lastIndexOf('HTTP/1.1')))).toMatchObject({ status: 204 });
    await retired;
  });

  it('is ended by close where a request is never answered', async () => {
    const door = await openDoor();
    const isRunning = new Promise<void>((running) => {
      door.core.answer = () => {
        running();
        return new Promise(() => {});
      };
    });
    const reply = exchangeRaw(door.port, `${GET.replace('GET', 'DELETE')}\r\n`);
    await isRunning;
    const retired = door.server.retire(0);
    await door.server.close(0);
    await retired;
    expect(await reply).toBe('');
  });
});

describe('listen', () => {
  it('says when the port is taken', async () => {
    const { port } = await start();
    const other = await openDoor();
    await expect(other.server.close(0).then(() => other.server.listen('127.0.0.1', port))).rejects.toThrow(
      'EADDRINUSE',
    );
  });
});

describe('requests one behind the other', () => {
  it('are answered in order', async () => {
    const door = await start();
    let finish = () => {};
    door.core.answer = ({ operation }) =>
      operation === 'getUser'
        ? { status: 200, body: { second: true } }
        : new Promise((resolve) => {
            finish = () => resolve({ status: 200, body: { first: true } });
            setImmediate(() => finish());
          });
    const text = await exchangeRaw(door.port, `${GET.replace('GET', 'DELETE')}\r\n${GET}Connection: close\r\n\r\n`);
    expect(text.indexOf('first')).toBeGreaterThan(0);
    expect(text.indexOf('second')).toBeGreaterThan(text.indexOf('first'));
  });

  it('are cut off where the second is none while the first still runs', async () => {
    const door = await start();
    door.core.answer = () => new Promise(() => {});
    expect(await exchangeRaw(door.port, `${GET.replace('GET', 'DELETE')}\r\n`, 'nonsense\r\n\r\n')).toBe('');
  });
});
