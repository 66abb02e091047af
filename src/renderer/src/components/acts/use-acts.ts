// Declares the keys and palette commands of the actions on screen, as the registry describes them.
import { useTranslation } from 'react-i18next';
import { type Action, type ActRuns, actsIn } from './acts.ts';
import { type Command, useCommands } from './commands.ts';
import { useShortcuts } from './keys.ts';

interface UseActsOptions {
  readonly isOn?: boolean;
  /** The actions belong to a drawer's content. */
  readonly inDialog?: boolean;
  /** Their object in the palette: a record's name, or how many are selected. */
  readonly about?: string | undefined;
  /** Whether their keys work; false: only the palette offers them. */
  readonly hasKeys?: boolean;
  /** Whether the palette offers them; false while they would have no object. */
  readonly hasCommands?: boolean;
  readonly group?: 'general' | 'list' | 'here';
}

/** Returns an action's name, and the other words by which the palette finds it. */
export function useActTexts(): { getActName(act: Action): string; getActKeywords(act: Action): string } {
  const { t } = useTranslation(['frame', 'users', 'plans', 'connections', 'nodes', 'settings']);
  return {
    getActName: ({ name }) => t(name),
    getActKeywords: ({ subject, keywords }) => {
      const subjects = subject === 'frame' ? '' : t(`frame:subjectWords.${subject}`);
      return keywords === undefined ? subjects : `${subjects} ${t(`frame:actWords.${keywords}`)}`;
    },
  };
}

export function useActs(runs: ActRuns, options: UseActsOptions = {}): void {
  const { isOn = true, inDialog = false, about, hasKeys = true, hasCommands = true, group = 'here' } = options;
  const { t } = useTranslation('frame');
  const { getActName, getActKeywords } = useActTexts();
  const acts = isOn ? actsIn(runs) : [];
  const commands = acts.map(
    (act): Command => ({
      id: act.id,
      group: act.subject === 'frame' ? 'appearance' : 'acts',
      label: about === undefined ? getActName(act) : t('palette.about', { act: getActName(act), about }),
      icon: act.icon,
      keywords: getActKeywords(act),
      ...(hasKeys && act.keys !== undefined && { keys: act.keys }),
      ...(act.confirm !== undefined && { hint: t('palette.asks') }),
      ...(act.undoable && { hint: t('palette.hasUndo') }),
      run: act.run,
    }),
  );
  useCommands(hasCommands ? commands : []);
  const shortcuts = acts.flatMap((act) =>
    act.keys === undefined || !hasKeys
      ? []
      : [{ keys: act.keys, label: getActName(act), group, inInputs: act.keys.startsWith('mod+'), run: act.run }],
  );
  useShortcuts(shortcuts, { isOn, inDialog });
}
