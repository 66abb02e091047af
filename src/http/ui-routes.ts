// Where the built pages stand below the secret path, in place of the plain ones.
import type { Router } from 'express';
import { PanelError } from '../core/panel-error.ts';
import { type Exchange, send, UNMATCHED } from './exchange.ts';
import { type PanelDoorParts, routeOf } from './panel-call.ts';
import type { Ui } from './ui.ts';

/** What a setup link's token looks like; the page behind the `#` judges whether it is one. */
const TOKEN = /^[A-Za-z0-9_-]{1,200}$/;

/** Adds `/`, the files of the build, and the way from a printed setup link to its page. What is none of these is `not_found`. */
export function addUi(router: Router, parts: PanelDoorParts, ui: Ui): void {
  const home = () => `/${parts.core.settings().secretPath}/`;
  const sendOn = (exchange: Exchange, status: number, to: string) => send(exchange, status, null, '', ['Location', to]);
  router.use(
    '/setup',
    routeOf(parts, '/setup/{token}', 'GET, HEAD', (exchange, { path }) => {
      const token = path.slice(1);
      if (!TOKEN.test(token)) throw new PanelError('not_found');
      // Behind the `#` it goes to no server and into no log.
      sendOn(exchange, 302, `${home()}#/setup/${token}`);
    }),
  );
  router.use(
    routeOf(parts, UNMATCHED, null, (exchange, { path, whole }) => {
      const { method } = exchange.request;
      if (method !== 'GET' && method !== 'HEAD') throw new PanelError('not_found');
      // Relative addresses in the pages must not lose the secret segment.
      if (path === '/' && !whole.startsWith(home())) return sendOn(exchange, 308, home());
      exchange.route = path === '/' ? '/' : '/{file}';
      if (!ui.answer(exchange, path)) {
        exchange.route = UNMATCHED;
        throw new PanelError('not_found');
      }
    }),
  );
}
