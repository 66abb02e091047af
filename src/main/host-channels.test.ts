// Copied secrets do not stay in the clipboard, and files are saved only where the dialog says.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserWindow } from 'electron';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHostChannels, createSecretClipboard, safeName, saveFile } from './host-channels.ts';

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
    await createSecretClipboard(clipboard).copy('pnl_secret', true);
    await vi.advanceTimersByTimeAsync(59_999);
    await expect(clipboard.readText()).resolves.toBe('pnl_secret');
    await vi.advanceTimersByTimeAsync(1);
    await expect(clipboard.readText()).resolves.toBe('');
  });

  it('keeps texts that are not secret, and what was copied since', async () => {
    const clipboard = fakeClipboard();
    const secrets = createSecretClipboard(clipboard);
    await secrets.copy('a name', false);
    await vi.advanceTimersByTimeAsync(120_000);
    await expect(clipboard.readText()).resolves.toBe('a name');
    await secrets.copy('secret', true);
    await clipboard.writeText('of another program');
    await secrets.clearSecret();
    await expect(clipboard.readText()).resolves.toBe('of another program');
  });

  it('loses a secret when the application quits', async () => {
    const clipboard = fakeClipboard();
    const secrets = createSecretClipboard(clipboard);
    await secrets.copy('secret', true);
    await secrets.clearSecret();
    await expect(clipboard.readText()).resolves.toBe('');
    await expect(secrets.copy({}, true)).rejects.toThrow(TypeError);
  });
});

describe('a page', () => {
  const options = { landscape: true, printBackground: true, pageSize: 'A4' };
  const channelsOver = (contents: object) =>
    createHostChannels({ findContents: (sender: number) => (sender === 7 ? contents : null) } as never);

  it('is printed by the dialog of the system, which may be cancelled', async () => {
    const print = vi.fn((_options: object, done: (isPrinted: boolean) => void) => done(false));
    await expect(channelsOver({ print }).print(7)).resolves.toBe(false);
    expect(print).toHaveBeenCalledWith(options, expect.any(Function));
  });

  it('is made a PDF of the contents that asked', async () => {
    const content = Buffer.from('%PDF-1.4');
    const printToPDF = vi.fn(async () => content);
    await expect(channelsOver({ printToPDF }).makePdf(7)).resolves.toBe(content);
    expect(printToPDF).toHaveBeenCalledWith(options);
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

  it('is saved where the dialog says, readable by its owner only', async () => {
    const path = join(folder, 'codes.txt');
    const shown = dialog(path);
    await expect(saveFile({ dialog: shown, folder, parent: null }, '../../etc/passwd', 'text')).resolves.toBe(true);
    expect(shown.showSaveDialog).toHaveBeenCalledWith({ defaultPath: join(folder, 'passwd') });
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['text', 0o600]);
    await saveFile({ dialog: dialog(path), folder, parent: null }, 'b', new Uint8Array([1, 2]));
    expect(readFileSync(path)).toEqual(Buffer.from([1, 2]));
  });

  it('is asked for by a dialog of the window that saves it', async () => {
    const shown = dialog(null);
    const parent = {} as BrowserWindow;
    await saveFile({ dialog: shown, folder, parent }, 'a', 'text');
    expect(shown.showSaveDialog).toHaveBeenCalledWith(parent, { defaultPath: join(folder, 'a') });
  });

  it('is not written if the dialog is cancelled', async () => {
    await expect(saveFile({ dialog: dialog(null), folder, parent: null }, 'a', 'text')).resolves.toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves the former file unchanged if writing fails', async () => {
    const taken = join(folder, 'taken');
    writeFileSync(taken, 'before');
    chmodSync(taken, 0o400);
    await expect(
      saveFile({ dialog: dialog(join(taken, 'in a file')), folder, parent: null }, 'a', 'text'),
    ).rejects.toThrow();
    expect([readFileSync(taken, 'utf8'), readdirSync(folder)]).toEqual(['before', ['taken']]);
  });

  it.each([
    ['panel-openapi.json', 'panel-openapi.json'],
    ['..\\..\\x.exe', 'x.exe'],
    ['...hidden', 'hidden'],
    ['a\nb:c', 'a_b_c'],
    ['', 'gatehouse'],
  ])('%j is suggested as %j', (name, suggested) => expect(safeName(name)).toBe(suggested));
});
