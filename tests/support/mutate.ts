// Mutates requests: values of wrong types and sizes anywhere in a JSON value, and text that is not quite JSON.
import fc from 'fast-check';

type Members = Record<string, unknown>;

/** A value nested so many levels deep, as JSON text: no parser's recursion is spent on making it. */
function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

/** JSON texts that are hardly ever what is wanted. */
const JUNK = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1',
  '1.5',
  '-0',
  '1e3',
  '1e999',
  '-1e999',
  '9007199254740992',
  '1e-400',
  '18446744073709551616',
  '-9223372036854775809',
  '2147483648',
  '4294967296',
  '""',
  '" "',
  '"0"',
  '"1"',
  '"null"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u202e abc"',
  '"ПРИВ"',
  '"🇩🇪"',
  '"%00"',
  '"\\n\\t"',
  '"\\u007f"',
  '"2026-02-30T00:00:00Z"',
  '"+010000-01-01T00:00:00Z"',
  '"1969-12-31T23:59:59Z"',
  '"2026-01-01T00:00:00+01:00"',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '[1,1]',
  '{"id":1}',
  '{"__proto__":{"access":"full"}}',
  '{"constructor":{"prototype":{}}}',
  nested(31),
  nested(32),
  nested(33),
  nested(5000),
  JSON.stringify('x'.repeat(5000)),
  JSON.stringify('\u{1f600}'.repeat(101)),
  '"\' OR 1=1 --"',
  '"\\"; DROP TABLE users; --"',
  '"*"',
  '"NEAR(a b)"',
  '"\\"\\""',
  '"%_"',
  '"<script>alert(1)</script>"',
];

/** Names that are members of every object, or of none that is asked for. */
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'id',
  'state',
  'sub_url',
  'is_admin',
  'total_up',
  '',
  'a/b~c',
  '\u0000',
  'ё',
];

export const junkText = fc.constantFrom(...JUNK);

/** What is done to one place of a value: a member replaced, taken away or added. `at` chooses the place. */
const mutation = fc.record({
  at: fc.nat({ max: 1000 }),
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  name: fc.constantFrom(...NAMES),
  junk: junkText,
});

/** Stands for a piece of JSON text inside a value, until the value is text itself. */
const MARK = '\u2063junk';

function listPlaces(
  value: unknown,
  places: { holder: Members; name: string }[] = [],
): { holder: Members; name: string }[] {
  if (typeof value !== 'object' || value === null) return places;
  for (const name of Object.keys(value)) {
    places.push({ holder: value as Members, name });
    listPlaces((value as Members)[name], places);
  }
  return places;
}

/** JSON text of a value, with up to three places mutated. */
export function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
  return fc.tuple(value, mutations).map(([whole, all]) => {
    const root: Members = { root: structuredClone(whole) };
    const texts: string[] = [];
    for (const { at, kind, name, junk } of all) {
      const places = listPlaces(root);
      const place = places[at % places.length];
      if (!place) continue;
      const { holder } = place;
      if (kind === 'remove' && holder !== root) delete holder[place.name];
      else {
        const target = kind === 'add' && holder !== root && !Array.isArray(holder) ? name : place.name;
        Object.defineProperty(holder, target, {
          value: MARK + texts.length,
          enumerable: true,
          configurable: true,
          writable: true,
        });
        texts.push(junk);
      }
    }
    const text = JSON.stringify(root.root) ?? '';
    return text.replace(/"\u2063junk(\d+)"/g, (_, index) => texts[Number(index)] ?? 'null');
  });
}

/** Ways to make text not quite the JSON that it was; `at` chooses a place where one is needed. */
const CORRUPTIONS: readonly ((whole: string, at: number) => Buffer)[] = [
  (whole, at) => Buffer.from(whole.slice(0, at % (whole.length + 1))),
  (whole) => Buffer.from(whole.replace(/^\{("(?:[^"\\]|\\.)*":)/, '{$1null,$1')),
  (whole) => Buffer.from(whole.replace(/\}$/, ',}')),
  (whole) => Buffer.from(whole.replace(/\d+/, 'NaN')),
  (whole) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(whole)]),
  (whole) => Buffer.concat([Buffer.from(whole), Buffer.from([0xff, 0xc0, 0x80])]),
  (whole) => Buffer.from(whole, 'utf16le'),
  (whole) => Buffer.from(`${whole}${whole}`),
  (whole) => Buffer.from(`/* */${whole}`),
  (whole) => Buffer.from(whole.replaceAll('"', "'")),
];

/** Bytes that are not quite the JSON text that they were. */
export function corrupted(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(text, fc.constantFrom(...CORRUPTIONS), fc.nat({ max: 10_000 }))
    .map(([whole, corrupt, at]) => corrupt(whole, at));
}
