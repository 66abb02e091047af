// Shortens texts to the maximum length of other programs.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most this many UTF-16 units, without splitting a visible character, such as an emoji. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  let short = '';
  for (const { segment } of graphemes.segment(text.slice(0, most + 64))) {
    if (short.length + segment.length > most) break;
    short += segment;
  }
  return short;
}
