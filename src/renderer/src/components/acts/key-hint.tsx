// Shows a key in the form of this machine: `mod+k` is ⌘K on a Mac and Ctrl K elsewhere.
import classes from './key-hint.module.css';

export const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '');

const NAMES: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  shift: isMac ? '⇧' : 'Shift',
  enter: '↵',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
};

/** `keys` as in keys.ts: `mod+k`, `g u`, `?`. */
export function KeyHint({ keys }: { readonly keys: string }) {
  return (
    <span className={classes.root}>
      {keys.split(' ').map((chord, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one key never change their places.
        <span key={index} className={classes.chord}>
          {chord.split(/\+(?=.)/).map((key) => (
            <kbd key={key} className={classes.key}>
              {NAMES[key.toLowerCase()] ?? (key.length === 1 ? key.toUpperCase() : key)}
            </kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
