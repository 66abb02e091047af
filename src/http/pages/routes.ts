// The routes of the plain pages: forms that work without a script, each answered by a page or sent on to one.
import type { Router } from 'express';
import { PanelError } from '../../core/panel-error.ts';
import { send } from '../exchange.ts';
import { type PanelDoorParts, routeOf } from '../panel-call.ts';
import { readQuery } from '../query-string.ts';
import { isOwnRequest } from '../same-origin.ts';
import { createKey, endOtherSessions, endSession, revokeKey } from './acts.ts';
import { FAVICON } from './favicon.ts';
import { type Fields, fieldsOf, goHome, type Visit, visitOf } from './form.ts';
import { showHome, signIn, signOut } from './home.ts';
import { setUp, showSetup } from './set-up.ts';

interface Form {
  /** Whether it asks for a session; who has none is sent to sign in. */
  readonly isPublic: boolean;
  submit(visit: Visit, fields: Fields): void | Promise<void>;
}

const FORMS: ReadonlyMap<string, Form> = new Map([
  ['set-up', { isPublic: true, submit: setUp }],
  ['sign-in', { isPublic: true, submit: signIn }],
  ['sign-out', { isPublic: false, submit: signOut }],
  ['create-key', { isPublic: false, submit: createKey }],
  ['revoke-key', { isPublic: false, submit: revokeKey }],
  ['end-session', { isPublic: false, submit: endSession }],
  ['end-other-sessions', { isPublic: false, submit: endOtherSessions }],
]);

/** Adds `/`, `/setup/<token>`, `/pages/<form>` and the mark for the tab. */
export function addPages(router: Router, parts: PanelDoorParts): void {
  router.all(
    '/',
    routeOf(parts, '/', 'GET, HEAD', (exchange, { query, whole }) => {
      const { secretPath } = parts.core.settings();
      // Relative addresses below it must not lose the secret segment.
      if (!whole.startsWith(`/${secretPath}/`)) return send(exchange, 308, null, '', ['Location', `/${secretPath}/`]);
      return showHome(visitOf(parts, exchange), readQuery(query).raw.done);
    }),
  );
  router.all(
    '/favicon.svg',
    routeOf(parts, '/favicon.svg', 'GET, HEAD', (exchange) => send(exchange, 200, 'image/svg+xml', FAVICON)),
  );
  router.use(
    '/setup',
    routeOf(parts, '/setup/{token}', 'GET, HEAD', (exchange, { path }) =>
      showSetup(visitOf(parts, exchange), path.slice(1)),
    ),
  );
  router.use(
    '/pages',
    routeOf(parts, '/pages/{form}', 'POST', async (exchange, { path }) => {
      const form = FORMS.get(path.slice(1));
      if (form === undefined) throw new PanelError('not_found');
      if (!isOwnRequest(exchange.request)) throw new PanelError('foreign_origin');
      const visit = visitOf(parts, exchange);
      const fields = await fieldsOf(exchange);
      if (visit.token === null && !form.isPublic) goHome(visit, []);
      else await form.submit(visit, fields);
    }),
  );
}
