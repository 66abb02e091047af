// Holds the documents to the sources: every path, link, npm script, `panel` command and text key that a page names exists. And it holds
// them to their form: a paragraph has at most four lines, and a line at most 150 columns. `npx node scripts/docs.ts` runs it alone.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './run.ts';

const ALL_PAGES = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })];
/** What docs/asvs.md names is held by a check of its own, scripts/asvs.ts. */
const OWN_CHECK = 'docs/asvs.md';
/** A folder or file of the project between backticks; `<…>`, `…`, `*`, `{a,b}` and NNNN stand for many. */
const PATH = /^(?:src|tests|scripts|docs|bin|resources|packages|\.github|\.vscode)\/[\w./@-]+$/;
/** A source file, by its whole path or the end of it. */
const SOURCE = /^[\w@./-]+\.(?:ts|tsx|css|sql|mjs|cjs)$/;
const SOURCES = globSync(['{src,tests,scripts,bin}/**/*', '*'], { cwd: root }).map((path) => `/${path}`);

/** The language that pages take as an example. */
const EXAMPLE = 'src/i18n/de';

interface Problem {
  readonly page: string;
  readonly text: string;
}

/** The anchors of a page's headings, as code hosts make them. */
function listAnchors(page: string): Set<string> {
  const headings = page.matchAll(/^#+ (.+)$/gm);
  const toAnchor = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
  return new Set([...headings].map(([, text = '']) => toAnchor(text)));
}

function findMissingPaths(text: string): string[] {
  const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) =>
    word.replace(/[:,]\d+$/, '').replace(/:$/, ''),
  );
  return named.filter((word) => {
    if (/[<>…*{}]|NNNN|\.\.\./.test(word) || word.startsWith(EXAMPLE)) return false;
    if (PATH.test(word)) return !existsSync(join(root, word));
    return SOURCE.test(word) && !existsSync(join(root, word)) && !SOURCES.some((path) => path.endsWith(`/${word}`));
  });
}

function findBrokenLinks(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  return links.flatMap(([, path = '', anchor]) => {
    const file = path === '' ? page : relative(root, join(root, dirname(page), path));
    if (!existsSync(join(root, file))) return [path];
    const isMissing =
      anchor !== undefined && file.endsWith('.md') && !listAnchors(readFileSync(join(root, file), 'utf8')).has(anchor);
    return isMissing ? [`${path}#${anchor}`] : [];
  });
}

const SCRIPTS = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts);

function findUnknownScripts(text: string): string[] {
  const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
  return named.filter((name) => !SCRIPTS.includes(name)).map((name) => `npm run ${name}`);
}

/** The names of the command line's commands, read from its own sources. */
const COMMANDS = new Set(
  globSync('src/cli/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(/\.command\(\s*'([\w-]+)/g)])
    .map(([, name = '']) => name),
);

function findUnknownCommands(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block = '']) => block).join('\n');
  const code = [
    ...text.matchAll(/`(?:npx )?panel ([a-z][a-z-]*)/g),
    ...blocks.matchAll(/^(?:npx )?panel ([a-z][a-z-]*)/gm),
  ];
  return code.filter(([, name = '']) => !COMMANDS.has(name)).map(([words]) => words.replace('`', ''));
}

/** Every key of the English texts, as a page may name it: `name`, `record.name` or `common:save`. */
const TEXTS = globSync('src/i18n/en/**/*.ts', { cwd: root })
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

function findUnknownKeys(text: string): string[] {
  const keys = [...text.matchAll(/\bt\('(?:\w+:)?([\w.]+)'/g)].map(([, key = '']) => key);
  return keys.filter((key) => key.split('.').some((part) => !new RegExp(`\\b${part}(?:_\\w+)?\\b['"]?:`).test(TEXTS)));
}

const MAX_LINES = 4;
const MAX_COLUMNS = 150;

/** Paragraphs that are too long, and lines that are too wide. A list item is a paragraph; code, tables and headings are none. */
function findLongParagraphs(text: string): string[] {
  const found: string[] = [];
  let isCode = false;
  let lines = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || /^\s*(?:$|\||#|<!--)/.test(line)) {
      lines = 0;
      continue;
    }
    lines = /^\s*(?:[-*]|\d+\.) /.test(line) ? 1 : lines + 1;
    if (lines === MAX_LINES + 1) found.push(`line ${index + 1}: a paragraph of more than ${MAX_LINES} lines`);
    if (line.length > MAX_COLUMNS) found.push(`line ${index + 1}: ${line.length} columns, more than ${MAX_COLUMNS}`);
  }
  return found;
}

const checks: readonly ((text: string, page: string) => readonly string[])[] = [
  (text) => findMissingPaths(text).map((path) => `no such path: ${path}`),
  (text, page) => findBrokenLinks(page, text).map((link) => `broken link: ${link}`),
  (text) => findUnknownScripts(text).map((script) => `no such script: ${script}`),
  (text) => findUnknownCommands(text).map((command) => `no such command: ${command}`),
  (text) => findUnknownKeys(text).map((key) => `no such text: ${key}`),
  (text) => findLongParagraphs(text),
];

const problems: Problem[] = ALL_PAGES.flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8');
  return (page === OWN_CHECK ? [findLongParagraphs] : checks).flatMap((check) =>
    check(text, page).map((problem) => ({ page, text: problem })),
  );
});
for (const { page, text } of problems) console.log(`${page}: ${text}`);
if (problems.length > 0) process.exitCode = 1;
