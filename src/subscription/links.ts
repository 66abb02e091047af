// The formats `links` (in base64, which every client reads) and `plain`: one share link on each line.
import { toBase64 } from './encoding.ts';
import { canLink } from './entry.ts';
import type { FormatWriter } from './format.ts';
import { shareLink } from './share-links.ts';

const TYPE = 'text/plain; charset=utf-8';

export const plain: FormatWriter = {
  type: TYPE,
  reserved: [],
  canCarry: canLink,
  write: (entries) => entries.map(shareLink).join('\n'),
};

export const links: FormatWriter = {
  type: TYPE,
  reserved: [],
  canCarry: canLink,
  write: (entries, title) => toBase64(plain.write(entries, title)),
};
