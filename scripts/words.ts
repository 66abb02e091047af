// Holds names and commit subjects to the style of CONTRIBUTING.md: functions start with a usual verb, limits with MAX_, and a subject is
// `area: imperative verb …`. `npx node scripts/words.ts` runs it alone.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './run.ts';

/** Verbs with which no function is named. `note` alone is the field of a record. */
const PRIVATE_VERBS =
  /^(?:(?:judge|tell|say|bring|take|give|mend|keep|stand|tie|blame|spare|weigh|linger|hear|lend)(?=[A-Z]|$)|note(?=[A-Z]))/;
/** Prompts to a person ask; programs request, poll or read. */
const ASK = /^ask(?=[A-Z]|$)/;
const HAS_PROMPTS = /^(?:src\/(?:bot|cli|main|renderer)|tests|scripts)\//;
/** Names that another program dictates, and nouns that begin like a verb. */
const FOREIGN: ReadonlySet<string> = new Set(['keepAlive', 'standInSend']);
/** Old and new names of one thing must not both be found by a search. */
const LIMIT = /^(?:[A-Z\d_]+_)?MOST(?:_|$)|^most(?=[A-Z])/;

/** The last commit whose subject was not held to the rule. */
const BEFORE = 'f03ff7b0';
const SUBJECT = /^[a-z][a-z0-9 ,./-]*: [a-z]/;
const ARTICLES = /^(?:a|an|the|it|its|they|he|she|we|you|what|who|which|this|that|there|no|not)$/;
/** Imperatives that end as other forms do. */
const IMPERATIVES = new Set([
  'pass',
  'process',
  'address',
  'compress',
  'feed',
  'embed',
  'need',
  'speed',
  'focus',
  'discuss',
  'press',
  'miss',
  'cross',
  'guess',
  'exceed',
  'proceed',
  'access',
  'dismiss',
  'assess',
]);

function isFunction(node: ts.Node): node is ts.NamedDeclaration {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return true;
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) {
    const value = node.initializer;
    return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value));
  }
  return ts.isPropertySignature(node) && node.type !== undefined && ts.isFunctionTypeNode(node.type);
}

/** The names in a source that the style refuses, each with its line. */
export function findPrivateNames(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const report = (name: ts.Identifier, why: string) => {
    const { line } = source.getLineAndCharacterOfPosition(name.getStart(source));
    found.push(`${file}:${line + 1}: ${name.text} ${why}`);
  };
  const visit = (node: ts.Node): void => {
    const name = ts.isVariableDeclaration(node) || isFunction(node) ? node.name : undefined;
    if (name && ts.isIdentifier(name)) {
      const isPrivate = PRIVATE_VERBS.test(name.text) || (ASK.test(name.text) && !HAS_PROMPTS.test(file));
      if (isFunction(node) && isPrivate && !FOREIGN.has(name.text)) {
        report(name, 'starts with a private verb');
      }
      if (LIMIT.test(name.text)) report(name, 'is a limit: name it MAX_…');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Why a commit subject is refused; null: it is not. */
export function findSubjectProblem(subject: string): string | null {
  if (subject.length > 72) return `has ${subject.length} characters, more than 72`;
  if (!SUBJECT.test(subject)) return 'is not `area: verb …` in lower case';
  const [verb = ''] = subject.slice(subject.indexOf(': ') + 2).split(/[ ,]/);
  if (ARTICLES.test(verb)) return `begins with "${verb}", not with a verb`;
  if (/(?:s|ed|ing)$/.test(verb) && !IMPERATIVES.has(verb)) return `begins with "${verb}", not with an imperative`;
  return null;
}

/** Commit subjects since BEFORE that are refused; null: there is no history that has it. */
function findSubjects(): string[] | null {
  const git = (...words: string[]) => spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  if (git('cat-file', '-e', `${BEFORE}^{commit}`).status !== 0) return null;
  const { status, stdout } = git('log', '--no-merges', '--format=%h %s', `${BEFORE}..HEAD`);
  if (status !== 0) return null;
  return stdout.split('\n').flatMap((line) => {
    const [hash = '', ...words] = line.split(' ');
    const problem = words.length === 0 ? null : findSubjectProblem(words.join(' '));
    return problem === null ? [] : [`${hash} "${words.join(' ')}" ${problem}`];
  });
}

if (import.meta.main) {
  const files = globSync('{src,tests,scripts,bin}/**/*.{ts,tsx,mts}', { cwd: root });
  const names = files.flatMap((file) => findPrivateNames(file, readFileSync(join(root, file), 'utf8')));
  const subjects = findSubjects();
  if (subjects === null) console.log('commit subjects are not checked: there is no git history here');
  const found = [...names, ...(subjects ?? [])];
  for (const line of found) console.error(line);
  if (found.length > 0) process.exitCode = 1;
}
