// Shared by all stages of the desktop application: stored settings, texts, dialogs and log.
import { join } from 'node:path';
import type { Log } from '../core/ports/ports.ts';
import { type DesktopTexts, hostTexts } from '../i18n/host.ts';
import { chooseLanguage, type Language } from '../i18n/languages.ts';
import type { DesktopParts } from './desktop-parts.ts';
import { openStateFile, type StateFile } from './desktop-state.ts';
import { createDialogs, type DialogParent, type Dialogs } from './dialogs.ts';
import { openEarlyLog } from './early-log.ts';
import type { Host } from './host.ts';
import { createSecretClipboard, type SecretClipboard } from './host-channels.ts';
import { appIcon } from './tray.ts';

export interface Basics {
  readonly state: StateFile;
  language(): Language;
  texts(): DesktopTexts;
  readonly dialogs: Dialogs;
  readonly clipboard: SecretClipboard;
  /** The panel's log, also before the panel is open and after its end. */
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** `host` and `parent`, the window of dialogs, are called once everything is made. */
export function openBasics({ electron, folder }: DesktopParts, host: () => Host, parent: () => DialogParent): Basics {
  const { app } = electron;
  const state = openStateFile(join(app.getPath('userData'), 'desktop.json'));
  const language = () => {
    const core = host().panel()?.core;
    // Before the set-up the panel's language is only a default; the set-up stores the administrator's language.
    const preferences = [
      state.get().appearance.locale,
      core?.local.isSetUp() ? core.settings().language : null,
      app.getLocale(),
    ];
    return chooseLanguage(preferences);
  };
  const texts = () => hostTexts(language(), 'desktop');
  const log = () => host().log() ?? openEarlyLog(folder);
  return {
    state,
    language,
    texts,
    dialogs: createDialogs({
      dialog: electron.dialog,
      texts,
      parent,
      icon: () => appIcon(electron.nativeImage),
    }),
    clipboard: createSecretClipboard(electron.clipboard),
    log: {
      warn: (event, fields) => log()?.warn(event, fields),
      error: (event, fields) => log()?.error(event, fields),
    },
  };
}
