// Makes characters of a name visible that a person cannot see, or that reorder adjacent text. Stored names do not change.

/** Direction marks and overrides, zero-width spaces and the like. Not the two joiners, which scripts and emoji need. */
const HIDDEN =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/gu;
/** A joiner is legitimate between emoji or letters of a joining script; elsewhere it only makes two names differ invisibly. */
const STRAY_JOINER =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Syriac}\p{M}])[\u200c\u200d]|[\u200c\u200d](?![\p{Extended_Pictographic}\p{L}])/gu;

const mark = (character: string) =>
  `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;

/** The text with such characters replaced by their names. */
export function showHidden(text: string): string {
  return text.replace(HIDDEN, mark).replace(STRAY_JOINER, mark);
}
