// Tests of templates: which are refused and why, and that a link contains the document with its connections.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../../tests/support/fake-core.ts';
import { PLAIN_RULE } from '../../../tests/support/plain-rule.ts';
import {
  buildSubscription,
  buildUser,
  hostileName,
  sampleInbound,
} from '../../../tests/support/subscription-samples.ts';
import {
  BUILT_IN_TEMPLATES,
  MAX_DOCUMENT,
  type OwnTemplate,
  TEMPLATE_DOCUMENTS,
  type TemplateChoice,
  type TemplateDocument,
} from '../../contract/subscription/templates.ts';
import type { UserRow } from '../../core/ports/users.ts';
import { renderSubscription } from '../render.ts';
import { builtInTemplates } from './built-in.ts';
import { writeSample } from './sample.ts';
import { isTemplateFault } from './template.ts';

const NOW = Date.UTC(2026, 10, 20, 10);
const GROUPS = 'proxy-groups: [{name: All, type: select, proxies: ["{all}"]}]';

function findProblem(document: TemplateDocument, text: string): string | null {
  try {
    writeSample(document, text);
    return null;
  } catch (error) {
    return isTemplateFault(error) ? error.problem : `not a fault: ${error}`;
  }
}

interface Asked {
  readonly names?: readonly string[];
  readonly fragment?: string;
  readonly own?: Partial<OwnTemplate>;
  readonly chosen?: string | null;
  readonly choices?: readonly TemplateChoice[];
  readonly user?: Partial<UserRow>;
  readonly rule?: Partial<typeof PLAIN_RULE>;
  readonly format: string;
}

function render({ names = ['DE', 'NL'], fragment, own = {}, rule, user = {}, format, ...more }: Asked): string {
  const rows = names.map((name, index) =>
    sampleInbound({ id: index + 1, name, protocol: 'trojan', security: 'tls', fragment: fragment ?? null }),
  );
  const item = { id: 'own-1', name: 'Own', mihomo: '', sing_box: '', xray: '', ...own };
  const settings = {
    ...SETTINGS,
    subscriptionTemplates: { items: [item], chosen: 'own-1', choices: [], ...more },
    subscriptionRules: rule ? [{ ...PLAIN_RULE, ...rule }] : [],
  };
  return renderSubscription(buildSubscription(rows, { user: buildUser(user) }), settings, { format, now: NOW }).body;
}

describe('a document', () => {
  it.each<[TemplateDocument, string, string | null]>([
    ['mihomo', GROUPS, null],
    ['mihomo', `${GROUPS}\nrules:\n  - MATCH,All`, null],
    ['mihomo', 'a: [', 'syntax'],
    ['mihomo', '- a', 'object'],
    ['mihomo', '# nothing', 'object'],
    ['mihomo', `${GROUPS}\nproxies: []`, 'proxies'],
    ['mihomo', 'mode: rule', 'groups'],
    ['mihomo', 'proxy-groups: {}', 'groups'],
    ['mihomo', 'proxy-groups: [{name: All, type: select, proxies: [DIRECT]}]', 'all'],
    ['mihomo', 'proxy-groups: [{type: select, proxies: ["{all}"]}]', 'names'],
    ['mihomo', 'proxy-groups: [{name: A, proxies: ["{all}"]}, {name: A, proxies: ["{all}"]}]', 'names'],
    ['mihomo', `${GROUPS}\nrules: {a: b}`, 'rules'],
    ['sing_box', '{"outbounds":[{"type":"selector","tag":"all","outbounds":["{all}"]}]}', null],
    ['sing_box', '{', 'syntax'],
    ['sing_box', '[]', 'object'],
    ['sing_box', '{"outbounds":{}}', 'outbounds'],
    ['sing_box', '{"outbounds":[{"type":"direct","tag":"a"}]}', 'all'],
    ['sing_box', '{"outbounds":[{"type":"selector","outbounds":["{all}"]}]}', 'names'],
    ['xray', '{"outbounds":[]}', null],
    ['xray', '{"outbounds":[{"tag":"direct","protocol":"freedom"}]}', null],
    ['xray', '{}', 'outbounds'],
    ['xray', '{"outbounds":[{"tag":"proxy"}]}', 'names'],
    ['xray', '{"outbounds":[{"tag":"proxy: DE"}]}', 'names'],
    ['xray', '{"outbounds":[{"tag":"fragment: 1-3,50,0"}]}', 'names'],
    ['xray', '{"outbounds":[],"routing":{"rules":{}}}', 'rules'],
    ['xray', '{"outbounds":[],"routing":[]}', 'object'],
    ['mihomo', `${GROUPS.slice(0, -2)}, filter: "{all}"}]`, 'all'],
    ['mihomo', `${GROUPS.slice(0, -1)}, {name: B, proxies: "{all}"}]`, 'all'],
    ['sing_box', '{"outbounds":[{"type":"selector","tag":"a","outbounds":["{all}"],"default":"{all}"}]}', 'all'],
  ])('for %s, %s: %s', (document, text, problem) => {
    expect(findProblem(document, text)).toBe(problem);
  });

  it('does not grow by aliases', () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0 ? 'a0: &a0 [x, x]' : `a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`)}]`,
    );
    expect(findProblem('mihomo', `${levels.join('\n')}\n${GROUPS}`)).toBe('syntax');
  });

  // Each is refused at once: what is computed for it must not grow with what its aliases stand for.
  const empty = (levels: number, uses: number) =>
    Array.from({ length: levels }, (_, level) =>
      level === 0 ? 'a0: &a0 []' : `a${level}: &a${level} [${`*a${level - 1},`.repeat(uses)}]`,
    ).join('\n');
  it.each<[string, TemplateDocument, string]>([
    ['many aliases of an empty list', 'mihomo', `${empty(3, 3000)}\n${GROUPS}`],
    ['nested aliases of an empty list', 'mihomo', `${empty(25, 2)}\n${GROUPS}`],
    ['an alias of its own', 'mihomo', `x: &x {s: *x}\n${GROUPS}`],
    ['brackets in YAML', 'mihomo', '['.repeat(20_000)],
    ['brackets in JSON', 'sing_box', '['.repeat(20_000)],
    ['nested lists', 'mihomo', `x: ${'['.repeat(40)}${']'.repeat(40)}\n${GROUPS}`],
  ])('with %s is refused', (_, document, text) => {
    expect(findProblem(document, text)).toBe('syntax');
  });

  test.prop([fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom(...TEMPLATE_DOCUMENTS)])(
    'of any text is read or refused',
    (text, document) => {
      expect(findProblem(document, text)).not.toMatch(/^not a fault/);
    },
  );
});

describe('the built-in templates', () => {
  it.each(BUILT_IN_TEMPLATES)('%s can be read, and copied', (id) => {
    for (const document of TEMPLATE_DOCUMENTS) {
      const text = builtInTemplates()[id][document];
      expect(text.length).toBeLessThan(MAX_DOCUMENT);
      expect(findProblem(document, text)).toBeNull();
    }
  });
});

describe('a link', () => {
  it('has the document of mihomo around its proxies', () => {
    const own = { mihomo: `log-level: info\nhosts: {yes: "on"}\n${GROUPS}\nrules: ["MATCH,All"]\n` };
    expect(parse(render({ own, format: 'mihomo' }))).toMatchObject({
      'log-level': 'info',
      hosts: { yes: 'on' },
      proxies: [{ name: 'DE' }, { name: 'NL' }],
      'proxy-groups': [{ name: 'All', proxies: ['DE', 'NL'] }],
      rules: ['MATCH,All'],
    });
  });

  it('keeps names of the document for itself', () => {
    const own = { mihomo: GROUPS, sing_box: '{"outbounds":[{"type":"selector","tag":"All","outbounds":["{all}"]}]}' };
    const read = (format: string) => render({ own, names: ['All'], format });
    expect(parse(read('mihomo'))).toMatchObject({
      proxies: [{ name: 'All 2' }],
      'proxy-groups': [{ proxies: ['All 2'] }],
    });
    expect(JSON.parse(read('sing-box'))).toMatchObject({
      outbounds: [{ tag: 'All', outbounds: ['All 2'] }, { tag: 'All 2' }],
    });
  });

  it('has the document of Xray, whose rules lead to one connection or to the fastest', () => {
    const rules = [{ type: 'field', domain: ['domain:a'], outboundTag: 'proxy' }];
    const own = { xray: JSON.stringify({ dns: { servers: ['1.1.1.1'] }, outbounds: [], routing: { rules } }) };
    const single = JSON.parse(render({ own, names: ['DE'], format: 'xray' }));
    expect(single).toMatchObject({ remarks: 'DE', routing: { rules: [{ outboundTag: 'proxy: DE' }] } });
    expect(single).not.toHaveProperty('observatory');
    expect(JSON.parse(render({ own, format: 'xray' }))).toMatchObject({
      dns: { servers: ['1.1.1.1'] },
      routing: {
        rules: [
          { domain: ['domain:a'], balancerTag: 'fastest' },
          { network: 'tcp,udp', balancerTag: 'fastest' },
        ],
        balancers: [{ tag: 'fastest', fallbackTag: 'proxy: DE' }],
      },
      observatory: { subjectSelector: ['proxy: '] },
    });
  });

  it('has what splits handshakes in the document of Xray too', () => {
    const { outbounds } = JSON.parse(render({ fragment: '1-3,50,0', chosen: 'global', format: 'xray' })) as {
      outbounds: { tag: string; streamSettings?: { sockopt: { dialerProxy: string } } }[];
    };
    const tags = outbounds.map(({ tag }) => tag);
    for (const { streamSettings } of outbounds.slice(0, 2)) expect(tags).toContain(streamSettings?.sockopt.dialerProxy);
  });

  it('has the template of its rule, else the one for all, else none', () => {
    const usual = render({ chosen: null, format: 'sing-box' });
    expect(render({ chosen: 'own-1', format: 'sing-box' })).toBe(usual);
    expect(render({ chosen: 'gone', format: 'sing-box' })).toBe(usual);
    const russia = render({ chosen: 'russia', format: 'sing-box' });
    expect(russia).toContain('yandex.net');
    expect(render({ rule: { template: 'russia' }, chosen: 'china', format: 'sing-box' })).toBe(russia);
    expect(render({ rule: {}, chosen: 'russia', format: 'sing-box' })).toBe(russia);
    expect(render({ chosen: 'russia', format: 'plain' })).toBe(render({ chosen: null, format: 'plain' }));
  });

  it('has the first template for the plan or a tag of its user, unless a rule names one', () => {
    const choices = [
      { template: 'iran', tariffs: [], tags: ['vip', 'ir'] },
      { template: 'china', tariffs: [2, 3], tags: ['cn'] },
    ];
    const read = (user: Partial<UserRow>, rule?: Asked['rule']) =>
      render({ chosen: 'russia', choices, user, ...(rule && { rule }), format: 'mihomo' });
    const only = (chosen: string) => render({ chosen, format: 'mihomo' });
    expect(read({ tariffId: 1, tags: [] })).toBe(only('russia'));
    expect(read({ tariffId: null, tags: ['other'] })).toBe(only('russia'));
    expect(read({ tariffId: 3, tags: [] })).toBe(only('china'));
    expect(read({ tariffId: 1, tags: ['cn'] })).toBe(only('china'));
    expect(read({ tariffId: 3, tags: ['vip'] })).toBe(only('iran'));
    expect(read({ tariffId: 3, tags: ['vip'] }, { template: 'global' })).toBe(only('global'));
    expect(read({ tariffId: 3, tags: [] }, {})).toBe(only('china'));
  });

  it('never fails by a document that cannot be read', () => {
    const own = { mihomo: 'a: [' };
    expect(render({ own, format: 'mihomo' })).toBe(render({ chosen: null, format: 'mihomo' }));
  });

  test.prop([fc.array(hostileName, { minLength: 1, maxLength: 6 }), fc.constantFrom(...BUILT_IN_TEMPLATES)])(
    'has each connection once under its own name, in each template',
    (names, chosen) => {
      const proxies = parse(render({ names, chosen, format: 'mihomo' })) as { proxies: { name: string }[] };
      const listed = proxies.proxies.map(({ name }) => name);
      expect(new Set(listed).size).toBe(names.length);
      const { outbounds } = JSON.parse(render({ names, chosen, format: 'sing-box' })) as {
        outbounds: { type: string; tag: string; outbounds?: string[] }[];
      };
      const tags = outbounds.filter(({ type }) => type === 'trojan').map(({ tag }) => tag);
      expect(outbounds[0]?.outbounds?.slice(1)).toEqual(tags);
      const xray = JSON.parse(render({ names, chosen, format: 'xray' })) as { outbounds: { protocol: string }[] };
      expect(xray.outbounds.filter(({ protocol }) => protocol === 'trojan')).toHaveLength(names.length);
    },
  );
});
