// Copies for the pages; a secret is taken out of the clipboard again, unless something else was copied since.
import type { Clipboard } from 'electron';

/** How long a secret may be pasted, in ms. */
const SECRET_MS = 60_000;
/** Longer texts are no key, link or code. */
const LONGEST = 1_000_000;

export interface Copier {
  /** Throws for what is no text to copy. */
  copy(text: unknown, isSecret: boolean): Promise<void>;
  /** Takes out at once what was to be taken out later: the application ends. */
  forget(): Promise<void>;
}

export function createCopier(clipboard: Pick<Clipboard, 'readText' | 'writeText' | 'clear'>): Copier {
  let secret: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const forget = async () => {
    clearTimeout(timer);
    const taken = secret;
    secret = null;
    if (taken !== null && (await clipboard.readText()) === taken) clipboard.clear();
  };
  return {
    async copy(text, isSecret) {
      if (typeof text !== 'string' || text.length > LONGEST) throw new TypeError('not a text to copy');
      clearTimeout(timer);
      await clipboard.writeText(text);
      secret = isSecret ? text : null;
      if (isSecret) timer = setTimeout(() => void forget().catch(() => undefined), SECRET_MS).unref();
    },
    forget,
  };
}
