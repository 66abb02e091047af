// Holds docs/asvs.md to the standard and to the sources: every requirement of levels 1 and 2 is there once, every file and test that it names
// exists, and its count is right. It also holds each promise of docs/threat-model.md to the test that is named beside it. `npx node scripts/asvs.ts` renews the count, `--check` only compares.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.ts';

const PAGE = join(root, 'docs/asvs.md');
/** Pages whose named files are looked for too. */
const THREATS = 'docs/threat-model.md';
const OTHERS = [THREATS, 'docs/security-inventory.md'];

/** The levels of the requirements of each section of ASVS 5.0.0, in their order. */
const LEVELS: Readonly<Record<string, string>> = {
  'V1.1': '22',
  'V1.2': '1111122223',
  'V1.3': '112222222223',
  'V1.4': '222',
  'V1.5': '123',
  'V2.1': '122',
  'V2.2': '112',
  'V2.3': '12223',
  'V2.4': '23',
  'V3.1': '3',
  'V3.2': '113',
  'V3.3': '12223',
  'V3.4': '11222233',
  'V3.5': '11122333',
  'V3.6': '3',
  'V3.7': '22333',
  'V4.1': '12233',
  'V4.2': '23333',
  'V4.3': '22',
  'V4.4': '1222',
  'V5.1': '2',
  'V5.2': '112333',
  'V5.3': '113',
  'V5.4': '222',
  'V6.1': '122',
  'V6.2': '111111112222',
  'V6.3': '11223333',
  'V6.4': '112233',
  'V6.5': '22222333',
  'V6.6': '2223',
  'V6.7': '33',
  'V6.8': '2222',
  'V7.1': '222',
  'V7.2': '1111',
  'V7.3': '22',
  'V7.4': '11222',
  'V7.5': '223',
  'V7.6': '22',
  'V8.1': '1233',
  'V8.2': '1123',
  'V8.3': '133',
  'V8.4': '23',
  'V9.1': '111',
  'V9.2': '1222',
  'V10.1': '22',
  'V10.2': '223',
  'V10.3': '22223',
  'V10.4': '1111122222233333',
  'V10.5': '22222',
  'V10.6': '22',
  'V10.7': '222',
  'V11.1': '2233',
  'V11.2': '22233',
  'V11.3': '11233',
  'V11.4': '1222',
  'V11.5': '23',
  'V11.6': '23',
  'V11.7': '33',
  'V12.1': '12233',
  'V12.2': '11',
  'V12.3': '22223',
  'V13.1': '2333',
  'V13.2': '222223',
  'V13.3': '2233',
  'V13.4': '1222233',
  'V14.1': '22',
  'V14.2': '12223333',
  'V14.3': '122',
  'V15.1': '12233',
  'V15.2': '12233',
  'V15.3': '1222222',
  'V15.4': '3333',
  'V16.1': '2',
  'V16.2': '22222',
  'V16.3': '2222',
  'V16.4': '222',
  'V16.5': '2223',
  'V17.1': '23',
  'V17.2': '22223333',
  'V17.3': '22',
};

interface Row {
  readonly number: string;
  readonly level: string;
  readonly status: string;
  readonly how: string;
}

const ROW = /^\| (V\d+\.\d+\.\d+) \| (\d) \| [^|]+ \| ([^|]+) \| (.+) \|$/gm;
/** A file of the project, or a test in it, between backticks. */
const NAMED = /`((?:src|tests|scripts|docs|\.github)\/[\w./-]+|[\w.-]+\.json)(?:: ([^`]+))?`/g;
const LINK = /\]\(([\w./-]+\.md)(?:#([\w-]+))?\)/g;
const COUNT = /^\*\*Level 1: .*\*\*$/m;

function readRows(page: string): Row[] {
  return [...page.matchAll(ROW)].map(([, number = '', level = '', status = '', how = '']) => {
    return { number, level, status: status.trim(), how };
  });
}

/** What the standard asks for at levels 1 and 2, as `V1.1.1 2`. */
function required(): string[] {
  return Object.entries(LEVELS).flatMap(([section, levels]) =>
    [...levels].flatMap((level, index) => (level === '3' ? [] : [`${section}.${index + 1} ${level}`])),
  );
}

/** The anchors of a page's headings, as code hosts make them. */
function listAnchors(page: string): Set<string> {
  const headings = page.matchAll(/^#+ (.+)$/gm);
  const toAnchor = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
  return new Set([...headings].map(([, text = '']) => toAnchor(text)));
}

/** `where` names the row or page in what is reported. */
function faultsOfNames(where: string, how: string): string[] {
  const faults: string[] = [];
  for (const [, path = '', title] of how.matchAll(NAMED)) {
    if (!existsSync(join(root, path))) faults.push(`${where}: there is no ${path}`);
    else if (title !== undefined && !readFileSync(join(root, path), 'utf8').includes(title))
      faults.push(`${where}: ${path} has no "${title}"`);
  }
  for (const [, path = '', anchor] of how.matchAll(LINK)) {
    const file = join(root, 'docs', path);
    if (!existsSync(file)) faults.push(`${where}: there is no docs/${path}`);
    else if (anchor !== undefined && !listAnchors(readFileSync(file, 'utf8')).has(anchor))
      faults.push(`${where}: docs/${path} has no #${anchor}`);
  }
  return faults;
}

/** What the panel does not promise, as it is intended, cannot be prevented, or is another program's. */
const NO_PROMISE = /^(?:none\b|intended\b|the disk's encryption$)/;
const TEST = /`(?:src|tests)\/[\w./-]+\.(?:test|spec)\.tsx?(: )?/g;

/** The protections of the threat model that name no test, or a file of tests without saying which. */
function faultsOfPromises(): string[] {
  const lines = readFileSync(join(root, THREATS), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const protection = line.split(' | ').at(-1)?.replace(/ \|$/, '') ?? '';
    const isRow = line.startsWith('| ') && !/^\| (?:attack|state) \|/.test(line);
    if (!isRow || NO_PROMISE.test(protection)) return [];
    const tests = [...protection.matchAll(TEST)];
    const where = `${THREATS}:${index + 1}`;
    if (tests.length === 0) return [`${where}: names no test that holds it`];
    return tests.some(([, titled]) => titled === undefined)
      ? [`${where}: names a file without the title of a test`]
      : [];
  });
}

function findFaults(rows: readonly Row[]): string[] {
  const there = rows.map(({ number, level }) => `${number} ${level}`);
  const wanted = required();
  const statuses = new Set(['met', 'level 1', 'n/a', 'not met']);
  return [
    ...wanted.filter((each) => !there.includes(each)).map((each) => `missing: ${each}`),
    ...there
      .filter((each, index) => !wanted.includes(each) || there.indexOf(each) !== index)
      .map((each) => `not of the standard, or twice: ${each}`),
    ...rows.filter(({ status }) => !statuses.has(status)).map(({ number, status }) => `${number}: no status ${status}`),
    ...rows
      .filter(({ status, how }) => status === 'met' && how.length < 4)
      .map(({ number }) => `${number}: not said how`),
    ...rows.flatMap(({ number, how }) => faultsOfNames(number, how)),
    ...faultsOfPromises(),
    ...OTHERS.flatMap((path) => faultsOfNames(path, readFileSync(join(root, path), 'utf8'))),
  ];
}

/** How many of the requirements that apply are met, as a sentence. */
function count(rows: readonly Row[]): string {
  const applying = rows.filter(({ status }) => status !== 'n/a');
  const met = (of: readonly Row[]) => of.filter(({ status }) => status === 'met').length;
  const first = applying.filter(({ level }) => level === '1');
  const firstMet = first.filter(({ status }) => status === 'met' || status === 'level 1').length;
  const share = Math.floor((1000 * met(applying)) / applying.length) / 10;
  return `**Level 1: ${firstMet} of ${first.length} that apply are met. Level 2, which includes level 1: ${met(applying)} of ${applying.length}, ${share} %. ${rows.length - applying.length} of ${rows.length} do not apply.**`;
}

const page = readFileSync(PAGE, 'utf8');
const rows = readRows(page);
const faults = findFaults(rows);
const sentence = count(rows);
console.log(sentence.replaceAll('*', ''));
if (!process.argv.includes('--check')) writeFileSync(PAGE, page.replace(COUNT, sentence));
else if (COUNT.exec(page)?.[0] !== sentence) faults.push('the count is old: npx node scripts/asvs.ts');
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
