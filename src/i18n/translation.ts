// The shape of a translation: the texts of English, with the plural forms of the language's own grammar.

export type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';
type EnglishForm = 'one' | 'other';
type Stem<Key> = Key extends `${infer Base}_${EnglishForm}` ? Base : never;

/** `Forms`: the plural forms that the language has, as Intl.PluralRules names them. Every language has `other`. */
export type Translation<English, Forms extends PluralForm = 'other'> = {
  readonly [Key in keyof English as Key extends `${string}_${EnglishForm}`
    ? `${Stem<Key>}_${Forms}`
    : Key]: English[Key] extends string ? string : Translation<English[Key], Forms>;
};
