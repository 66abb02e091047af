// Templates of subscription links: the document around the connections, for mihomo, sing-box and Xray. In the panel only.
import { z } from 'zod';
import { audienceTags, audienceTariffs } from '../audience.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** Templates that come with the panel. */
export const BUILT_IN_TEMPLATES = ['global', 'russia', 'iran', 'china'] as const;
export type BuiltInTemplate = (typeof BUILT_IN_TEMPLATES)[number];

/** The documents of a template, named like their formats. */
export const TEMPLATE_DOCUMENTS = ['mihomo', 'sing_box', 'xray'] as const;
export type TemplateDocument = (typeof TEMPLATE_DOCUMENTS)[number];

export const MAX_TEMPLATES = 8;
export const MAX_TEMPLATE_CHOICES = 50;
/** Most characters of a document; it is limited because it is sent to every node. */
export const MAX_DOCUMENT = 24_000;

const ownId = z.string().regex(/^own-[1-9][0-9]{0,5}$/);
export const templateId = z
  .union([z.enum(BUILT_IN_TEMPLATES), ownId])
  .meta({ id: 'TemplateId', description: 'A template that comes with the panel, or an own one: `own-1` and so on.' });
export type TemplateId = z.output<typeof templateId>;

const document = s.text({ min: 0, max: MAX_DOCUMENT, multiline: true });
const documents = {
  mihomo: document.meta({
    description:
      'YAML without `proxies`; `{all}` stands for the connections in `proxy-groups`. Empty: the usual document.',
  }),
  sing_box: document.meta({
    description: 'JSON; `{all}` stands for the connections in the `outbounds` of groups. Empty: the usual document.',
  }),
  xray: document.meta({
    description: 'JSON; the tag `proxy` stands for the connections in rules. Empty: the usual document.',
  }),
};
export type TemplateDocuments = Readonly<Record<TemplateDocument, string>>;

const name = s.text({ min: 1, max: 60 });

/** A template of the administrator. */
export const ownTemplate = z.object({ id: ownId, name, ...documents });
export type OwnTemplate = z.output<typeof ownTemplate>;

/** A template for users with some tariffs or tags. */
export const templateChoice = z
  .strictObject({
    template: templateId,
    tariffs: audienceTariffs.meta({ description: 'Users of these tariffs get the template, and those with a tag.' }),
    tags: audienceTags.meta({ description: 'Users with one of these tags get the template.' }),
  })
  .refine(({ tariffs, tags }) => tariffs.length + tags.length > 0, {
    path: ['tariffs'],
    message: 'names neither tariffs nor tags',
  })
  .meta({ id: 'TemplateChoice' });
export type TemplateChoice = z.output<typeof templateChoice>;
const choices = z
  .array(templateChoice)
  .max(MAX_TEMPLATE_CHOICES)
  .meta({ description: 'For users of some tariffs or with some tags: the first that fits.' });

const templates = z
  .object({
    items: z.array(
      z.object({
        id: templateId,
        name: z.string().nullable().meta({ description: 'null: it comes with the panel.' }),
        mihomo: z.string(),
        sing_box: z.string(),
        xray: z.string(),
      }),
    ),
    default: templateId.nullable().meta({ description: 'For all others; null: the usual document.' }),
    choices,
  })
  .meta({ id: 'SubscriptionTemplates' });
export type SubscriptionTemplates = z.output<typeof templates>;

const example: SubscriptionTemplates = {
  items: [{ id: 'own-1', name: 'Office', mihomo: '', sing_box: '', xray: '' }],
  default: null,
  choices: [],
};

export const getSubscriptionTemplates = panelOperation({
  id: 'getSubscriptionTemplates',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the templates of subscription links',
  input: z.strictObject({}),
  output: templates,
  example: { body: {}, reply: example },
});

export const saveSubscriptionTemplate = panelOperation({
  id: 'saveSubscriptionTemplate',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Add or change a template of subscription links',
  description:
    'Each document is checked first: its structure with sample connections in it, and that for Xray by the engine of this machine, if there is one.',
  input: z.strictObject({ id: ownId.nullable().meta({ description: 'null: a new one.' }), name, ...documents }),
  output: templates,
  errors: ['not_found', 'template_limit'],
  example: { body: { id: null, name: 'Office', mihomo: '', sing_box: '', xray: '' }, reply: example },
});

export const deleteSubscriptionTemplate = panelOperation({
  id: 'deleteSubscriptionTemplate',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Delete a template of subscription links',
  description: 'Rules that name it name none from then on, and choices of it are removed.',
  input: z.strictObject({ id: ownId }),
  output: templates,
  errors: ['not_found'],
  example: { body: { id: 'own-1' }, reply: { items: [], default: null, choices: [] } },
});

export const chooseSubscriptionTemplate = panelOperation({
  id: 'chooseSubscriptionTemplate',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Choose the templates of subscription links',
  description:
    'A rule that names a template goes first, then the choices, then the one for all. A member that is left out stays as it is.',
  input: z.strictObject({ default: templateId.nullable().optional(), choices: choices.optional() }),
  output: templates,
  errors: ['not_found', 'tariff_not_found'],
  example: { body: { default: null, choices: [] }, reply: example },
});
