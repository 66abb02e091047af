// Uses the desktop's preload API, if there is one, as the host of the pages.
import { type DesktopApi, RECORD_MARK } from '../../../bridge/desktop-api.ts';
import type { HostApi } from '../../../bridge/host-api.ts';
import { useView, type View } from '../state/view.ts';

declare global {
  interface Window {
    /** Set by the desktop's preload, before any script of the pages runs. */
    readonly gatehouse?: DesktopApi;
  }
}

/** null in a browser. */
export function findDesktop(): DesktopApi | null {
  return globalThis.window?.gatehouse ?? null;
}

export function desktopHost(api: DesktopApi): HostApi {
  return {
    kind: 'desktop',
    copy: (text, isSecret = false) => api.copy(text, isSecret),
    save: (name, _type, content) => api.save(name, content),
    print: async () => void (await api.print()),
    makePdf: api.makePdf,
    shell: api,
    record: new URLSearchParams(location.search).has(RECORD_MARK) ? location.hash : null,
  };
}

/** Makes menus and dialogs follow the pages' theme and language, and lets the shell navigate the pages. Lasts as long as the window. */
export function followDesktop(api: DesktopApi): void {
  const sendAppearance = ({ theme, locale }: View) => void api.setAppearance({ theme, locale }).catch(() => undefined);
  sendAppearance(useView.getState());
  useView.subscribe((view, former) => {
    if (view.theme !== former.theme || view.locale !== former.locale) sendAppearance(view);
  });
  api.onGo((hash) => {
    if (/^#\//.test(hash)) location.hash = hash;
  });
}
