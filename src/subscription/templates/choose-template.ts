// Selects the template of a subscription and returns the writer that puts the connections into its document.
import type { ConfigurationFormat } from '../../contract/subscription/formats.ts';
import type { SubscriptionRule } from '../../contract/subscription/rules.ts';
import type {
  OwnTemplate,
  TemplateDocument,
  TemplateDocuments,
  TemplateId,
} from '../../contract/subscription/templates.ts';
import type { LinkSettings } from '../../core/ports/settings.ts';
import { type AudienceUser, isInAudience } from '../../domain/subscription/audience.ts';
import type { FormatWriter } from '../format.ts';
import { withMihomoTemplate } from '../mihomo.ts';
import { withSingBoxTemplate } from '../sing-box.ts';
import { withXrayTemplate } from '../xray.ts';
import { builtInTemplates } from './built-in.ts';
import { compileTemplate } from './template.ts';

/** The document of each format; the other formats have none. */
const DOCUMENTS: Readonly<Partial<Record<ConfigurationFormat, TemplateDocument>>> = {
  mihomo: 'mihomo',
  'sing-box': 'sing_box',
  xray: 'xray',
};

function findDocuments(id: TemplateId, items: readonly OwnTemplate[]): TemplateDocuments | undefined {
  const builtIn = builtInTemplates();
  return Object.hasOwn(builtIn, id) ? builtIn[id as keyof typeof builtIn] : items.find((one) => one.id === id);
}

function buildWriter(document: TemplateDocument, text: string, writer: FormatWriter): FormatWriter {
  switch (document) {
    case 'mihomo':
      return withMihomoTemplate(compileTemplate('mihomo', text));
    case 'sing_box':
      return withSingBoxTemplate(writer, compileTemplate('sing_box', text));
    case 'xray':
      return withXrayTemplate(compileTemplate('xray', text));
  }
}

/** Cache of writers by documents, which are immutable, and default writer. */
const known = new WeakMap<TemplateDocuments, Map<FormatWriter, FormatWriter>>();

/** The template of the rule, else of the user's plan or tags, else of all users. */
function chooseTemplate(
  rule: Pick<SubscriptionRule, 'template'> | null | undefined,
  user: AudienceUser,
  { chosen, choices }: LinkSettings['subscriptionTemplates'],
): TemplateId | null {
  return rule?.template ?? choices.find((one) => isInAudience(one, user))?.template ?? chosen;
}

/**
 * Returns `writer`, the format's default one, if there is no template or it has no document of this format. Also if the document cannot be compiled,
 * for example by an earlier version on a node, because a link must never fail.
 */
export function selectTemplateWriter(
  writer: FormatWriter,
  format: ConfigurationFormat,
  rule: Pick<SubscriptionRule, 'template'> | null | undefined,
  user: AudienceUser,
  templates: LinkSettings['subscriptionTemplates'],
): FormatWriter {
  const document = DOCUMENTS[format];
  if (document === undefined) return writer;
  const id = chooseTemplate(rule, user, templates);
  const documents = id === null ? undefined : findDocuments(id, templates.items);
  if (documents === undefined || documents[document].trim() === '') return writer;
  const writers = known.get(documents) ?? new Map<FormatWriter, FormatWriter>();
  known.set(documents, writers);
  let found = writers.get(writer);
  if (found === undefined) {
    try {
      found = buildWriter(document, documents[document], writer);
    } catch {
      found = writer;
    }
    writers.set(writer, found);
  }
  return found;
}
