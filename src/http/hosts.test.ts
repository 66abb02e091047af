// Which Host headers are the panel's own.
import { describe, expect, it } from 'vitest';
import { isHostAllowed } from './hosts.ts';

const names = new Set(['panel.example', 'box.local']);

describe('isHostAllowed', () => {
  it.each([
    ...['localhost', 'LOCALHOST:8443', '127.0.0.1', '192.0.2.1:8443', '[::1]', '[2001:db8::1]:8443', 'panel.example'],
    ...['Panel.Example:443', 'box.local'],
  ])('accepts %s', (host) => {
    expect(isHostAllowed(host, names)).toBe(true);
  });

  it.each([
    ...['', 'evil.example', 'panel.example.evil.example', 'panel.example.', 'localhost.', 'localhost:', 'localhost:x'],
    ...['user@localhost', 'localhost/', '::1', '[::1', '[localhost]', '127.1', '0x7f.0.0.1', 'localhost:8443:1', ' '],
  ])('refuses %j', (host) => {
    expect(isHostAllowed(host, names)).toBe(false);
  });
});
