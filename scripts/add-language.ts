// `npm run add-language -- <tag> <own name> <its word for "language">`, as in `npm run add-language -- de-DE Deutsch Sprache`: copies the
// English texts into a folder of the language and adds it to the list. Nothing else names a language; what is left is to translate.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.ts';

interface NewLanguage {
  /** BCP 47, as `de-DE`: dates and numbers follow it. */
  readonly tag: string;
  /** Its own name. */
  readonly name: string;
  /** What it calls a language. */
  readonly word: string;
}

/** `folder`: the top of a checkout. Returns the code of the language. */
export function addLanguage(folder: string, { tag, name, word }: NewLanguage): string {
  const code = new Intl.Locale(tag).language;
  const texts = join(folder, 'src/i18n', code);
  if (existsSync(texts)) throw new Error(`${texts} is there already`);
  cpSync(join(folder, 'src/i18n/en'), texts, { recursive: true });
  const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
  for (const entry of readdirSync(texts, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, withPlurals(readFileSync(path, 'utf8'), pluralCategories));
  }

  const list = join(folder, 'src/i18n/languages.ts');
  const end = '] as const satisfies';
  const entry = [
    '  {',
    `    code: '${code}',`,
    `    name: ${quote(name)},`,
    `    word: ${quote(word)},`,
    `    tag: '${tag}',`,
    `    host: async () => (await import('./${code}/host/index.ts')).host,`,
    '  },',
    end,
  ];
  writeFileSync(
    list,
    readFileSync(list, 'utf8').replace(end, () => entry.join('\n')),
  );
  const pages = join(folder, 'src/i18n/page-texts.ts');
  const loader = /^ {2}en: (.*)\.\/en\/(.*)$/gm;
  writeFileSync(
    pages,
    readFileSync(pages, 'utf8').replace(loader, (line, load, path) => `${line}\n  ${code}: ${load}./${code}/${path}`),
  );
  return code;
}

/** English texts with the plural forms of another grammar, each a copy of an English one. */
function withPlurals(source: string, forms: readonly string[]): string {
  const plurals = /^( *\w+)_one:(\s+.*,\n)\1_other:(\s+.*,\n)/gm;
  return source.replace(plurals, (_, stem: string, one: string, other: string) =>
    forms.map((form) => `${stem}_${form}:${form === 'one' ? one : other}`).join(''),
  );
}

const quote = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

if (import.meta.main) {
  const [tag, name, word] = process.argv.slice(2);
  if (tag === undefined || name === undefined || word === undefined) {
    console.error('npm run add-language -- <tag> <own name> <its word for "language">');
    process.exitCode = 2;
  } else {
    const code = addLanguage(root, { tag, name, word });
    console.log(`${name} is in src/i18n/languages.ts. Now translate src/i18n/${code} and run npm run openapi.`);
  }
}
