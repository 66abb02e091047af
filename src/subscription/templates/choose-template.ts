// The writer of a format with the document of a template around the connections.
import type { ConfigurationFormat } from '../../contract/subscription/formats.ts';
import type {
  OwnTemplate,
  TemplateDocument,
  TemplateDocuments,
  TemplateId,
} from '../../contract/subscription/templates.ts';
import type { LinkSettings } from '../../core/ports/settings.ts';
import type { FormatWriter } from '../format.ts';
import { withMihomoTemplate } from '../mihomo.ts';
import { withSingBoxTemplate } from '../sing-box.ts';
import { withXrayTemplate } from '../xray.ts';
import { builtInTemplates } from './built-in.ts';
import { compileTemplate } from './template.ts';

/** The document of a format; the others have none around their connections. */
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

/** By documents, which are values, and usual writer. */
const known = new WeakMap<TemplateDocuments, Map<FormatWriter, FormatWriter>>();

/**
 * `writer`: the one of the format with the usual document, which stays where there is no template, or the template has no document of the format. A
 * document that cannot be read, as by an earlier version of a machine, is left out too: a link never fails.
 */
export function selectTemplateWriter(
  writer: FormatWriter,
  format: ConfigurationFormat,
  id: TemplateId | null,
  { items }: LinkSettings['subscriptionTemplates'],
): FormatWriter {
  const document = DOCUMENTS[format];
  const documents = id === null || document === undefined ? undefined : findDocuments(id, items);
  if (document === undefined || documents === undefined || documents[document].trim() === '') return writer;
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
