// Carries the panel door: Express finds its routes and catches its failures. The API door does without (docs/decisions/0002).
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Log } from '../core/ports/ports.ts';
import type { ConstantReply } from './constant-reply.ts';
import type { Door } from './door.ts';

/** A door that runs `panelDoor` with `request.url` cut to what is below the secret path. What it passes on is not there. */
export function createApp(panelDoor: RequestHandler, reply: ConstantReply, log: Log): Door {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('trust proxy');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  app.use(panelDoor);
  app.use((request, response) => reply.send(request, response));
  const onError: ErrorRequestHandler = (error, request, response, _next) => {
    log.error('panel_door_failed', { cause: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    if (response.headersSent) request.socket.destroy();
    else reply.send(request, response);
  };
  app.use(onError);
  return (request, response, rest) => {
    // Express keeps it as it stands: the door can still tell how the URL came in.
    Object.assign(request, { originalUrl: request.url });
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    app(request, response);
  };
}
