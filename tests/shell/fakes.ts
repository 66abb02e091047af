// Fake contents and a fake session that record their handlers, which a test calls as Electron would.
import { EventEmitter } from 'node:events';
import { guardContents, guardSession } from '../../src/main/security.ts';

type Handler = (...args: never[]) => unknown;

export interface GuardedContents {
  /** Emits an event that can be prevented, and returns it. */
  emit(name: string, params: object): { readonly defaultPrevented: boolean };
  openWindow(url: string): unknown;
  /** What the system was asked to open. */
  readonly opened: readonly string[];
}

export function guardedContents(): GuardedContents {
  const app = new EventEmitter();
  const opened: string[] = [];
  guardContents(app as never, { external: (url) => opened.push(url), own: (hash) => opened.push(hash) });
  let openHandler: (details: { url: string }) => unknown = () => ({ action: 'allow' });
  const contents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler(handler: typeof openHandler) {
      openHandler = handler;
    },
  });
  app.emit('web-contents-created', {}, contents);
  return {
    opened,
    emit(name, params) {
      let defaultPrevented = false;
      const event = {
        ...params,
        preventDefault() {
          defaultPrevented = true;
        },
      };
      contents.emit(name, event);
      return { defaultPrevented };
    },
    openWindow: (url) => openHandler({ url }),
  };
}

export interface GuardedSession {
  readonly handlers: Partial<Record<'request' | 'check' | 'device' | 'display', (...args: unknown[]) => unknown>>;
  readonly isSpellChecking: boolean;
  /** Whether a download of that address is let through, and which name the dialog suggests. */
  download(url: string): { readonly isAllowed: boolean; readonly offered: unknown };
}

export function guardedSession(): GuardedSession {
  const handlers: GuardedSession['handlers'] = {};
  const set = (name: keyof typeof handlers) => (handler: Handler) => {
    handlers[name] = handler as (...args: unknown[]) => unknown;
  };
  let isSpellChecking = true;
  const events = new EventEmitter();
  const session = Object.assign(events, {
    setPermissionRequestHandler: set('request'),
    setPermissionCheckHandler: set('check'),
    setDevicePermissionHandler: set('device'),
    setDisplayMediaRequestHandler: set('display'),
    setSpellCheckerEnabled(isOn: boolean) {
      isSpellChecking = isOn;
    },
  });
  guardSession(session as never);
  return {
    handlers,
    isSpellChecking,
    download(url) {
      let isAllowed = true;
      let offered: unknown = null;
      const item = {
        getURL: () => url,
        getFilename: () => 'a.gatehouse-backup',
        setSaveDialogOptions(options: unknown) {
          offered = options;
        },
      };
      const event = {
        preventDefault() {
          isAllowed = false;
        },
      };
      events.emit('will-download', event, item);
      return { isAllowed, offered };
    },
  };
}
