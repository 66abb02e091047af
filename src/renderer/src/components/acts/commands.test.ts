// The palette finds a command by every typed word, in any case; commands that begin with the text come first.
import { describe, expect, it } from 'vitest';
import { type Command, matchCommands } from './commands.ts';

const command = (label: string, keywords?: string): Command => ({
  id: label,
  label,
  group: 'acts',
  run: () => {},
  ...(keywords && { keywords }),
});
const all = [command('Go to Users'), command('Users: add'), command('Appearance: Dark', 'theme тема')];
const found = (text: string) => matchCommands(all, text).map(({ label }) => label);

describe('matchCommands', () => {
  it('finds all for nothing', () => {
    expect(found('')).toHaveLength(3);
  });

  it('finds by every word, in any order and case', () => {
    expect(found('USERS go')).toEqual(['Go to Users']);
    expect(found('users')).toEqual(['Users: add', 'Go to Users']);
    expect(found('nothing')).toEqual([]);
  });

  it('prefers a name to the other words of another', () => {
    const both = [command('Settings: API', 'documentation'), command('API documentation')];
    expect(matchCommands(both, 'documentation').map(({ label }) => label)).toEqual([
      'API documentation',
      'Settings: API',
    ]);
  });

  it('finds by other words', () => {
    expect(found('тема')).toEqual(['Appearance: Dark']);
  });
});
