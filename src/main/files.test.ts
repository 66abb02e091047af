// What leaves the window: copies that do not stay, files by the dialog alone.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCopier } from './clipboard.ts';
import { safeName, saveFile } from './save-file.ts';

function fakeClipboard() {
  let text = '';
  return {
    readText: async () => text,
    writeText: async (next: string) => {
      text = next;
    },
    clear() {
      text = '';
    },
  };
}

describe('the clipboard', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('loses a secret after a minute', async () => {
    const clipboard = fakeClipboard();
    await createCopier(clipboard).copy('pnl_secret', true);
    await vi.advanceTimersByTimeAsync(59_999);
    await expect(clipboard.readText()).resolves.toBe('pnl_secret');
    await vi.advanceTimersByTimeAsync(1);
    await expect(clipboard.readText()).resolves.toBe('');
  });

  it('keeps what is no secret, and what was copied since', async () => {
    const clipboard = fakeClipboard();
    const copier = createCopier(clipboard);
    await copier.copy('a name', false);
    await vi.advanceTimersByTimeAsync(120_000);
    await expect(clipboard.readText()).resolves.toBe('a name');
    await copier.copy('secret', true);
    await clipboard.writeText('of another program');
    await copier.forget();
    await expect(clipboard.readText()).resolves.toBe('of another program');
  });

  it('forgets a secret at the end', async () => {
    const clipboard = fakeClipboard();
    const copier = createCopier(clipboard);
    await copier.copy('secret', true);
    await copier.forget();
    await expect(clipboard.readText()).resolves.toBe('');
    await expect(copier.copy({}, true)).rejects.toThrow(TypeError);
  });
});

describe('a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-save-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const dialog = (filePath: string | null) => ({
    showSaveDialog: vi.fn(async () => ({ canceled: filePath === null, filePath: filePath ?? '' })),
  });

  it('goes where the person says, for its owner alone', async () => {
    const path = join(folder, 'codes.txt');
    const asked = dialog(path);
    await expect(saveFile({ dialog: asked, folder }, '../../etc/passwd', 'text')).resolves.toBe(true);
    expect(asked.showSaveDialog).toHaveBeenCalledWith({ defaultPath: join(folder, 'passwd') });
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['text', 0o600]);
    await saveFile({ dialog: dialog(path), folder }, 'b', new Uint8Array([1, 2]));
    expect(readFileSync(path)).toEqual(Buffer.from([1, 2]));
  });

  it('is not written where the person thinks better of it', async () => {
    await expect(saveFile({ dialog: dialog(null), folder }, 'a', 'text')).resolves.toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves what was there where it fails', async () => {
    const taken = join(folder, 'taken');
    writeFileSync(taken, 'before');
    chmodSync(taken, 0o400);
    await expect(saveFile({ dialog: dialog(join(taken, 'in a file')), folder }, 'a', 'text')).rejects.toThrow();
    expect([readFileSync(taken, 'utf8'), readdirSync(folder)]).toEqual(['before', ['taken']]);
  });

  it.each([
    ['panel-openapi.json', 'panel-openapi.json'],
    ['..\\..\\x.exe', 'x.exe'],
    ['...hidden', 'hidden'],
    ['a\nb:c', 'a_b_c'],
    ['', 'gatehouse'],
  ])('%j is offered as %j', (name, offered) => expect(safeName(name)).toBe(offered));
});
