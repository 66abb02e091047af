// Serves the gallery of components under the policy that the panel's pages have.
import { renameSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { root } from '../../../scripts/run.ts';
import { openPages } from '../../../src/http/pages.ts';

export const GALLERY_FOLDER = join(root, 'out/gallery');

/** What the bundler named after its page becomes the index. */
export function nameIndex(): void {
  renameSync(join(GALLERY_FOLDER, 'gallery.html'), join(GALLERY_FOLDER, 'index.html'));
}

export interface ServedGallery extends AsyncDisposable {
  readonly url: string;
}

export async function serveGallery(): Promise<ServedGallery> {
  const pages = openPages(GALLERY_FOLDER);
  if (pages === null) throw new Error(`${GALLERY_FOLDER} is not built`);
  const app = express();
  app.get('/', (_request, response) => {
    const { headers, body } = pages.index();
    response.writeHead(200, [...headers]).end(body);
  });
  app.use(pages.files);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
