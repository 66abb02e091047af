// Writes a template with two sample connections, as apps would get it.
import type { TemplateDocument } from '../../contract/subscription/templates.ts';
import { VLESS_PLACEHOLDER } from '../entries.ts';
import { type Entry, type Inbound, NO_SECRETS } from '../entry.ts';
import type { FormatWriter } from '../format.ts';
import { withMihomoTemplate } from '../mihomo.ts';
import { singBox, withSingBoxTemplate } from '../sing-box.ts';
import { withXrayTemplate } from '../xray.ts';
import { compileTemplate } from './template.ts';

const INBOUND: Inbound = {
  ...VLESS_PLACEHOLDER,
  protocol: 'trojan',
  security: 'tls',
  port: 443,
  sni: 'example.com',
};

const ENTRIES: readonly Entry[] = ['Sample 1', 'Sample 2'].map((name) => ({
  name,
  hasOwnName: false,
  address: 'example.com',
  inbound: INBOUND,
  credentials: { uuid: '00000000-0000-0000-0000-000000000000', password: 'sample', key: '', wireguard: '' },
  tunnelAddress: null,
  secrets: NO_SECRETS,
}));

const WRITERS: { readonly [Name in TemplateDocument]: (text: string) => FormatWriter } = {
  mihomo: (text) => withMihomoTemplate(compileTemplate('mihomo', text)),
  sing_box: (text) => withSingBoxTemplate(singBox, compileTemplate('sing_box', text)),
  xray: (text) => withXrayTemplate(compileTemplate('xray', text)),
};

/** Throws TemplateFault. */
export function writeSample(document: TemplateDocument, text: string): string {
  return WRITERS[document](text).write(ENTRIES, 'Sample');
}
