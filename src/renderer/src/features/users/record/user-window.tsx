// A user's record in its own window of the desktop application.
import { useHost } from '../../../data/host.ts';
import { notifyFailure } from '../../../state/messages.ts';
import { usePlans } from '../use-plans.ts';
import { UserDrawer } from './user-drawer.tsx';

const NO_NEIGHBOURS = { index: -1, previous: undefined, next: undefined };

export function UserWindow() {
  const { shell, record } = useHost();
  const plans = usePlans();
  // Not the present address, which a link to another page changes for a moment.
  const id = Number(/^#\/users\/([1-9]\d{0,14})$/.exec(record ?? '')?.[1] ?? 0);
  return (
    <UserDrawer
      id={id === 0 ? null : id}
      isUnknown={id === 0}
      plans={plans}
      neighbours={NO_NEIGHBOURS}
      isWindow
      onGo={() => {}}
      onClose={() => void shell?.closeWindow().catch(notifyFailure)}
    />
  );
}
