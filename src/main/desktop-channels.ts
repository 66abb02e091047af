// The channels of the desktop application's pages: to the panel, and to the machine.
import { EVENT_CHANNELS } from '../bridge/desktop-api.ts';
import type { Basics } from './desktop-basics.ts';
import type { DesktopHost } from './desktop-host.ts';
import type { Menus } from './desktop-menus.ts';
import type { DesktopParts } from './desktop-parts.ts';
import type { Windows } from './desktop-windows.ts';
import type { Host } from './host.ts';
import { createHostChannels, readVersions, saveFile } from './host-channels.ts';
import { attachIpc } from './ipc.ts';
import { createLoginItem } from './login-item.ts';
import { PALETTE } from './menu.ts';
import { createPanelChannels, type PanelChannels } from './panel-channels.ts';
import { createQuickSearch } from './quick-search.ts';

/** The panel's operations and events. */
export function createDesktopChannels({ log }: Basics, host: () => Host, windows: () => Windows): PanelChannels {
  return createPanelChannels({
    session: () => host().session(),
    whenOpened: () => host().whenOpened(),
    emit(sender, message) {
      const { find, main } = windows();
      const watching = find(sender);
      // All windows share the session; record windows are closed when it ends.
      if (message.kind === 'signed-out' && watching !== main) watching?.close();
      else watching?.send(EVENT_CHANNELS.live, message);
    },
    log,
  });
}

/** The stages that pages can reach. */
export interface ChannelStages extends Pick<DesktopHost, 'staySignedIn'> {
  readonly channels: PanelChannels;
  readonly windows: Windows;
  readonly menus: Menus;
}

export function attachChannels(
  { electron, process }: DesktopParts,
  { state, clipboard, log }: Basics,
  { channels, windows, menus, staySignedIn }: ChannelStages,
): void {
  const { app, dialog, nativeTheme, shell } = electron;
  const quickSearch = createQuickSearch(electron.globalShortcut, () => menus.actions.act(PALETTE));
  // If another program has the shortcut now, the setting stays on and the next start tries again.
  quickSearch.set(state.get().quickSearch);
  const hostChannels = createHostChannels({
    quickSearch,
    loginItem: createLoginItem({ app, process }),
    nativeTheme,
    state,
    clipboard,
    openExternal: async (url) => shell.openExternal(url),
    versions: readVersions(app, process),
    save(sender, name, content) {
      const parent = windows.find(sender)?.onScreen() ?? null;
      return saveFile({ dialog, folder: app.getPath('downloads'), parent }, name, content);
    },
    findContents: (sender) => windows.find(sender)?.contents() ?? null,
    openRecord: windows.openRecord,
    openInMain: windows.main.show,
    closeWindow: (sender) => windows.find(sender)?.close(),
    staySignedIn: staySignedIn.enable,
    setActs: menus.setActs,
    onChange: menus.refresh,
  });
  attachIpc(
    electron.ipcMain,
    { ...channels.handlers, ...hostChannels },
    { windowContents: () => windows.all().flatMap((one) => one.contents()?.id ?? []), log },
  );
}
