// A child that is YooKassa at first, until it hangs, or lies: replies that are no JSON, have no end or fail, and a list that never ends.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from './child.ts';

export type Illness = 'none' | 'hangs' | 'lies';

const LISTED = 100;
const BEGUN = Date.UTC(2026, 0, 1);

let illness: Illness = 'none';
let requests = 0;

function buildPayment(id: string, amount: unknown, more: object = {}) {
  return {
    id,
    status: 'pending',
    paid: false,
    amount,
    refunded_amount: { value: '0.00', currency: 'RUB' },
    test: true,
    confirmation: { type: 'redirect', confirmation_url: `https://yoomoney.ru/checkout?orderId=${id}` },
    created_at: new Date(BEGUN + requests * 1000).toISOString(),
    ...more,
  };
}

/** Payments of another program, and always a page more. */
function endlessList() {
  const amount = { value: '450.00', currency: 'RUB' };
  const paid = { status: 'succeeded', paid: true, metadata: { order: 'of another program' } };
  const items = Array.from({ length: LISTED }, (_, index) => buildPayment(`${requests}-${index}`, amount, paid));
  return { type: 'list', items, next_cursor: String(requests) };
}

function lie(path: string, reply: ServerResponse): void {
  if (path.startsWith('/payments?')) reply.writeHead(200).end(JSON.stringify(endlessList()));
  else if (requests % 3 === 0) reply.writeHead(200).end('<html>');
  else if (requests % 3 === 1) reply.writeHead(200).write('x'.repeat(3_000_000));
  else reply.writeHead(500).end('{}');
}

const server = createServer((request, reply) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    requests += 1;
    const path = request.url ?? '';
    if (illness === 'hangs') return;
    if (illness === 'lies') return lie(path, reply);
    const isMade = request.method === 'POST' && path === '/payments';
    const body = path.startsWith('/me')
      ? { account_id: '100500', test: true, status: 'enabled' }
      : isMade
        ? buildPayment(`2d-${requests}`, JSON.parse(text).amount, { metadata: JSON.parse(text).metadata })
        : { type: 'list', items: [] };
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});

function start(): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      // A TCP server's address is never a path.
      const { port } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

answerParent({
  start,
  become: (wanted: Illness) => {
    illness = wanted;
    // What hangs is over.
    server.closeAllConnections();
  },
  count: () => requests,
  stop: () => {
    server.close();
    server.closeAllConnections();
  },
});
