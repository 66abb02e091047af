// The data folders that panels are measured on: demonstrations of three sizes, made once in a run, and copies of them to write to.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILES } from '../../src/adapters/data-folder.ts';
import { startChild } from './child.ts';

export interface Sizes {
  readonly small: number;
  readonly middle: number;
  readonly large: number;
}

export interface Databases extends Disposable {
  readonly sizes: Sizes;
  /** The folder of that size, for reading; made when first asked for. */
  folder(size: keyof Sizes): Promise<string>;
  /** A copy to write to, which goes at the end. No panel may run on the folder meanwhile. */
  copy(size: keyof Sizes): Promise<string>;
  /** How long it took to fill that size, seconds. */
  fillSeconds(size: keyof Sizes): Promise<number>;
}

export const getDatabasePath = (folder: string) => join(folder, FILES.database);

/** `kept`: a folder whose databases stay for another run; without it all goes at the end. */
export function openDatabases(sizes: Sizes, kept: string | undefined, printLine: (text: string) => void): Databases {
  const root = kept ?? mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const copies = mkdtempSync(join(tmpdir(), 'gatehouse-bench-copies-'));
  let copied = 0;

  async function ready(size: keyof Sizes): Promise<{ folder: string; seconds: number }> {
    const folder = join(root, `demo-${sizes[size]}`);
    const note = join(root, `demo-${sizes[size]}.json`);
    if (!existsSync(note)) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(root, { recursive: true });
      printLine(`filling a database of ${sizes[size].toLocaleString('en')} users`);
      const filler = startChild(new URL('./filler.ts', import.meta.url));
      const seconds = await filler.call<number>('fill', { folder, users: sizes[size] });
      await filler.stop();
      writeFileSync(note, JSON.stringify({ seconds }));
    }
    return { folder, ...(JSON.parse(readFileSync(note, 'utf8')) as { seconds: number }) };
  }

  return {
    sizes,
    folder: async (size) => (await ready(size)).folder,
    fillSeconds: async (size) => (await ready(size)).seconds,
    async copy(size) {
      const { folder } = await ready(size);
      const copy = join(copies, `${++copied}`);
      mkdirSync(copy, { mode: 0o700 });
      copyFileSync(getDatabasePath(folder), getDatabasePath(copy));
      return copy;
    },
    [Symbol.dispose]: () => {
      rmSync(copies, { recursive: true, force: true });
      if (kept === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}
