// Names of keys: the same for every layout; shift is named only if it is not part of the character.
import { describe, expect, it } from 'vitest';
import { formatChord } from './keys.ts';

const press = (
  key: string,
  code: string,
  modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {},
) => formatChord({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers });

describe('formatChord', () => {
  it.each([
    ['j', 'KeyJ', {}, 'j'],
    ['X', 'KeyX', { shiftKey: true }, 'shift+x'],
    ['k', 'KeyK', { ctrlKey: true }, 'mod+k'],
    ['k', 'KeyK', { metaKey: true }, 'mod+k'],
    ['?', 'Slash', { shiftKey: true }, '?'],
    ['/', 'Slash', {}, '/'],
    ['Enter', 'Enter', { ctrlKey: true }, 'mod+enter'],
    ['ArrowDown', 'ArrowDown', {}, 'arrowdown'],
    [' ', 'Space', {}, 'space'],
  ])('names %s', (key, code, modifiers, name) => {
    expect(press(key, code, modifiers)).toBe(name);
  });

  it('uses the position of a key in a layout without Latin letters', () => {
    expect(press('о', 'KeyJ')).toBe('j');
    expect(press('Л', 'KeyK', { ctrlKey: true, shiftKey: true })).toBe('mod+shift+k');
    // In a Latin layout the typed letter counts, not its position.
    expect(press('z', 'KeyY')).toBe('z');
  });
});
