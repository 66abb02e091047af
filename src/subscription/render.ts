// The reply to a subscription link, in the client's format and with its headers.
import type { ConfigurationFormat } from '../contract/subscription/formats.ts';
import type { Subscription } from '../core/kernel/core.ts';
import type { LinkSettings } from '../core/ports/settings.ts';
import { expandVariables, hasVariables } from '../domain/subscription/variables.ts';
import { chooseFormat, type FormatChoice, type FormatRequest, singBoxVersion } from './choose-format.ts';
import { clash } from './clash.ts';
import { explainOnly, listEntries } from './entries.ts';
import type { FormatWriter } from './format.ts';
import { subscriptionHeaders } from './headers.ts';
import { links, plain } from './links.ts';
import { mihomo } from './mihomo.ts';
import { type Page, type PageRequest, renderPage } from './page/page.ts';
import { olderSingBox, resolvesAtStart, singBox } from './sing-box.ts';
import { selectTemplateWriter } from './templates/choose-template.ts';
import { fillSettings, userVariables } from './variables.ts';
import { wireguard } from './wireguard.ts';
import { xray } from './xray.ts';

export interface RenderedSubscription {
  readonly status: number;
  /** Lower-case names, printable ASCII values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The format, and why it was chosen. */
  readonly choice: FormatChoice;
  /** A rule refuses the app: the link must look like an unknown one. */
  readonly isRefused?: true;
  /** Inline style and script of a page. */
  readonly inline?: Page['inline'];
}

export type RenderRequest = FormatRequest & PageRequest;

export const WRITERS: Readonly<Record<ConfigurationFormat, FormatWriter>> = {
  links,
  plain,
  mihomo,
  clash,
  'sing-box': singBox,
  xray,
  wireguard,
};

/** Header with the number of connections that the format does not support; absent if it supports all. */
const LEFT_OUT_HEADER = 'x-gatehouse-left-out';

/** The reply to `GET /<sub path>/<token>`; its body is never empty. For a user who cannot connect, the name of the only entry explains why. */
export function renderSubscription(
  sub: Subscription,
  settingValues: LinkSettings,
  request: RenderRequest,
): RenderedSubscription {
  const choice = chooseFormat(request, settingValues.subscriptionRules);
  const { format, rule } = choice;
  if (rule?.action === 'refuse') return { status: 404, headers: {}, body: '', choice, isRefused: true };
  const settings = fillSettings(sub, settingValues, request.now);
  const common = subscriptionHeaders(sub, settings, request, rule);
  if (format === 'html') {
    // A page is shown, not saved.
    const { 'content-disposition': _, ...headers } = common;
    return {
      status: 200,
      choice,
      headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
      ...renderPage(sub, settings, request),
    };
  }
  const usual = selectWriter(format, request.userAgent);
  const writer = selectTemplateWriter(usual, format, rule, sub.user, settings.subscriptionTemplates);
  const { entries, leftOut } =
    rule?.action === 'explain'
      ? explainOnly(expandVariables(rule.text, userVariables(sub, settings, request.now)) || rule.text, writer)
      : listEntries(sub, settings, writer, request.now, request.connection);
  const headers: Record<string, string> = { 'content-type': writer.type, ...common };
  if (leftOut > 0) headers[LEFT_OUT_HEADER] = String(leftOut);
  if (writer.fileName) headers['content-disposition'] = `attachment; filename="${writer.fileName(entries)}"`;
  const isOfTime = rule?.action === 'explain' || settings !== settingValues;
  const changedAt = isOfTime ? null : lastChange(sub);
  if (changedAt !== null) headers['last-modified'] = new Date(changedAt).toUTCString();
  return { status: 200, choice, headers, body: writer.write(entries, settings.subscriptionTitle) };
}

function selectWriter(format: ConfigurationFormat, userAgent: string | undefined): FormatWriter {
  return format === 'sing-box' && resolvesAtStart(singBoxVersion(userAgent)) ? olderSingBox : WRITERS[format];
}

/** Time of the last change of the user or a connection; null: the reply depends on time or traffic. */
function lastChange({ user, canConnect, inbounds: connections }: Subscription): number | null {
  if (!canConnect || connections.some(({ inbound }) => hasVariables(inbound.name))) return null;
  return Math.max(user.updatedAt, ...connections.map(({ inbound }) => inbound.updatedAt));
}
