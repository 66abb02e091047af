// Puts the palette's commands into the menus of the desktop application, and runs the chosen ones.
import { useEffect } from 'react';
import type { MenuAct } from '../../../bridge/desktop-api.ts';
import type { HostApi } from '../../../bridge/host-api.ts';
import { ALL_ACTS } from '../components/acts/acts.ts';
import { type Command, currentCommands, useAllCommands } from '../components/acts/commands.ts';
import { useHost } from '../data/host.ts';
import { useSession } from '../state/session.ts';
import { openOverlay } from './overlays.ts';

/** Delay before the menu is updated, so that moving through rows by arrow keys does not change it each time. */
const SETTLED_MS = 250;

export function NativeMenu() {
  const { shell } = useHost();
  const { hasEnded } = useSession();
  return shell === null || hasEnded ? null : <Offered shell={shell} />;
}

function Offered({ shell }: { readonly shell: NonNullable<HostApi['shell']> }) {
  const acts = JSON.stringify(useAllCommands().flatMap(listMenuActs));
  useEffect(() => {
    const timer = setTimeout(() => void shell.setActs(JSON.parse(acts)).catch(() => undefined), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [shell, acts]);
  useEffect(() => () => void shell.setActs([]).catch(() => undefined), [shell]);
  useEffect(
    () =>
      shell.onAct((id) => {
        if (id === 'frame.palette') openOverlay('palette');
        else
          currentCommands()
            .find((command) => command.id === id)
            ?.run();
      }),
    [shell],
  );
  return null;
}

function listMenuActs({ id, label, settingsLabel, group, keys }: Command): readonly MenuAct[] {
  if (group === 'records') return [];
  const isEverywhere = ALL_ACTS.some((act) => act.id === id && act.contexts.includes('everywhere'));
  return [
    {
      id,
      label,
      group,
      isEverywhere,
      ...(settingsLabel !== undefined && { settingsLabel }),
      ...(keys !== undefined && { keys }),
    },
  ];
}
