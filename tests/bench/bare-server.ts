// A child that is the least a server can be: node:http, one prepared statement, the same bytes. What the panel is held against.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Connection, openConnection } from '../../src/store/database.ts';
import { bareWorks } from './bare-works.ts';
import { answerParent } from './child.ts';
import type { BareStart } from './servers.ts';
import { usageAnswers } from './usage.ts';

let db: Connection | null = null;
let server: Server | SecureServer | null = null;

async function start({ database, work, links, bytes = '', tls }: BareStart): Promise<string> {
  db = openConnection(database);
  const listener: RequestListener = bareWorks[work](db, links, bytes);
  const opened = tls ? createSecureServer(tls, listener) : createServer(listener);
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, tls ? '0.0.0.0' : '127.0.0.1', resolve));
  return `${tls ? 'https' : 'http'}://127.0.0.1:${(opened.address() as AddressInfo).port}`;
}

function stop(): void {
  server?.closeAllConnections();
  server?.close();
  db?.close();
}

answerParent({ start, ...usageAnswers(), stop });
