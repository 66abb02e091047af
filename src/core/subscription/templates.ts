// Templates of subscription links: the built-in ones, and the administrator's own, which are stored in one setting.

import type { FieldError } from '../../contract/errors.ts';
import {
  BUILT_IN_TEMPLATES,
  MAX_TEMPLATES,
  type OwnTemplate,
  type SubscriptionTemplates,
  TEMPLATE_DOCUMENTS,
  type TemplateChoice,
  type TemplateId,
} from '../../contract/subscription/templates.ts';
import type { Input } from '../../contract/table.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { isSameJson } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { SettingValues } from '../ports/settings.ts';

function view(env: Pick<Env, 'templates'>, settings: SettingValues): SubscriptionTemplates {
  const builtIn = env.templates?.builtIn();
  const { items, chosen, choices } = settings.subscriptionTemplates;
  return {
    items: [...(builtIn ? BUILT_IN_TEMPLATES.map((id) => ({ id, name: null, ...builtIn[id] })) : []), ...items],
    default: chosen,
    choices: [...choices],
  };
}

function requireKnown({ settings }: Transaction, id: TemplateId): void {
  const isBuiltIn = BUILT_IN_TEMPLATES.some((one) => one === id);
  if (!isBuiltIn && settings.subscriptionTemplates.items.every((one) => one.id !== id))
    throw new PanelError('not_found');
}

function save(tx: Transaction, templates: SettingValues['subscriptionTemplates'], changed: object): void {
  tx.saveSettings({ subscriptionTemplates: templates });
  tx.emit('settings.changed', {}, ['subscription_templates']);
  tx.audit('settings', { template: changed });
}

function nextId(items: readonly OwnTemplate[]): OwnTemplate['id'] {
  return `own-${1 + Math.max(0, ...items.map(({ id }) => Number(id.slice('own-'.length))))}`;
}

/** Throws `validation` for documents that apps would refuse. Before the transaction, because Xray may be run to check them. */
async function requireAccepted(env: Pick<Env, 'templates'>, input: Input<'saveSubscriptionTemplate'>): Promise<void> {
  const { templates } = env;
  if (!templates) throw new PanelError('unavailable');
  const found = await Promise.all(
    TEMPLATE_DOCUMENTS.map(async (document) => ({
      document,
      fault: input[document].trim() === '' ? null : await templates.check(document, input[document]),
    })),
  );
  const errors = found.flatMap(({ document, fault }) =>
    fault === null ? [] : [{ pointer: `#/${document}`, code: 'invalid' as const, message: fault }],
  );
  if (errors.length > 0) throw new PanelError('validation', errors);
}

async function saveTemplate(
  input: Input<'saveSubscriptionTemplate'>,
  { env, transaction }: AsyncContext<'saveSubscriptionTemplate'>,
): Promise<Result<SubscriptionTemplates>> {
  await requireAccepted(env, input);
  await transaction((tx) => {
    const { items, ...chosen } = tx.settings.subscriptionTemplates;
    const { id, ...fields } = input;
    const before = items.find((one) => one.id === id);
    if (id !== null && !before) throw new PanelError('not_found');
    if (!before && items.length >= MAX_TEMPLATES) throw new PanelError('template_limit');
    const saved = { ...fields, id: before?.id ?? nextId(items) };
    if (before && isSameJson(saved, before)) return;
    const next = before ? items.map((one) => (one === before ? saved : one)) : [...items, saved];
    save(tx, { items: next, ...chosen }, { id: saved.id, name: saved.name });
  });
  return { body: view(env, env.settings()) };
}

function deleteTemplate({ id }: Input<'deleteSubscriptionTemplate'>, tx: Transaction): Result<SubscriptionTemplates> {
  const { items, chosen, choices } = tx.settings.subscriptionTemplates;
  const found = items.find((one) => one.id === id);
  if (!found) throw new PanelError('not_found');
  const templates = {
    items: items.filter((one) => one !== found),
    chosen: chosen === id ? null : chosen,
    choices: choices.filter(({ template }) => template !== id),
  };
  const subscriptionRules = tx.settings.subscriptionRules.map((rule) =>
    rule.template === id ? { ...rule, template: null } : rule,
  );
  tx.saveSettings({ subscriptionRules });
  save(tx, templates, { id, name: found.name });
  return { body: view(tx.env, { ...tx.settings, subscriptionTemplates: templates }) };
}

/** Throws for unknown tariffs, except those saved before, which may have been deleted since. */
function requireTariffs({ settings, store }: Transaction, choices: readonly TemplateChoice[]): void {
  const known = new Set(settings.subscriptionTemplates.choices.flatMap(({ tariffs }) => tariffs));
  const missing = choices.flatMap(({ tariffs }, index) =>
    tariffs.flatMap((id, at): readonly FieldError[] => {
      if (known.has(id) || store.tariffs.get(id)) return [];
      const pointer = `#/choices/${index}/tariffs/${at}`;
      return [{ pointer, code: 'tariff_not_found', message: 'there is no such tariff' }];
    }),
  );
  if (missing.length > 0) throw new PanelError('tariff_not_found', missing);
}

function chooseTemplate(input: Input<'chooseSubscriptionTemplate'>, tx: Transaction): Result<SubscriptionTemplates> {
  const before = tx.settings.subscriptionTemplates;
  const { default: chosen = before.chosen, choices = before.choices } = input;
  for (const id of [chosen, ...choices.map(({ template }) => template)]) if (id !== null) requireKnown(tx, id);
  requireTariffs(tx, choices);
  const templates = { ...before, chosen, choices };
  if (!isSameJson(templates, before)) save(tx, templates, { chosen, choices });
  return { body: view(tx.env, { ...tx.settings, subscriptionTemplates: templates }) };
}

export const TEMPLATE_HANDLERS = {
  getSubscriptionTemplates: {
    read: (_input: Input<'getSubscriptionTemplates'>, { env, settings }: Context) => ({ body: view(env, settings) }),
  },
  saveSubscriptionTemplate: { run: saveTemplate },
  deleteSubscriptionTemplate: { write: deleteTemplate },
  chooseSubscriptionTemplate: { write: chooseTemplate },
} satisfies Handlers<
  'getSubscriptionTemplates' | 'saveSubscriptionTemplate' | 'deleteSubscriptionTemplate' | 'chooseSubscriptionTemplate'
>;
