// The history of a user has a text for every audit entry about a user.
import i18next from 'i18next';
import { beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../../contract/access/audit.ts';
import { LANGUAGES } from '../../../../../i18n/languages.ts';
import { loadPageTexts } from '../../../../../i18n/page-texts.ts';
import { createFormat } from '../../../format/format.ts';
import { describeAct } from './history.ts';

const entry: AuditEntry = {
  id: 1,
  at: '2026-11-20T10:00:00.000Z',
  actor: { kind: 'administrator', id: 1, name: 'admin' },
  action: '',
  outcome: 'done',
  target: 'user:7',
  detail: {},
  address: null,
  request_id: 'test',
};
const plans = { all: [], usable: [], names: new Map(), isPending: false, getPlanName: () => 'Month' };

const i18n = i18next.createInstance();
beforeAll(async () => {
  const resources = Object.fromEntries(
    await Promise.all(LANGUAGES.map(async ({ code }) => [code, await loadPageTexts(code)] as const)),
  );
  await i18n.init({ resources, defaultNS: 'common', showSupportNotice: false } as Parameters<typeof i18next.init>[0]);
});

it.each(LANGUAGES.map(({ code }) => code))('in %s every action of the audit log has words', (language) => {
  const t = i18n.getFixedT<['users', 'audit']>(language, ['users', 'audit']);
  const format = createFormat(i18n.getFixedT(language, 'common'), language, 'decimal', 'UTC');
  const actions = Object.keys(i18n.getResourceBundle(language, 'audit').action);
  const words = (action: string) => describeAct(t, format, plans, { ...entry, action });
  expect(actions.filter((action) => words(action) === action)).toEqual([]);
  expect(words('actionOfANewerPanel')).toBe('actionOfANewerPanel');
});
