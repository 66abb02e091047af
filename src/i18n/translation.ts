// What the other languages must have: the same texts as English, with the plural forms of their own grammar.

type EnglishPlural = 'one' | 'other';
type Stem<Key> = Key extends `${infer Base}_${EnglishPlural}` ? Base : never;
type Slavic = 'one' | 'few' | 'many' | 'other';

/** The shape of a Russian file beside an English one. */
export type Russian<English> = {
  readonly [Key in keyof English as Key extends `${string}_${EnglishPlural}`
    ? `${Stem<Key>}_${Slavic}`
    : Key]: English[Key] extends string ? string : Russian<English[Key]>;
};
