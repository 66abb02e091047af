// The administrator's first screen in the chat, with the panel's figures, and backups sent into the chat.
import { PROOF_MINUTES } from '../contract/access/proof.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { AdminRow } from '../core/ports/bot.ts';
import { formatMoney } from '../domain/sales/money.ts';
import { formatBytes } from '../i18n/bytes.ts';
import { languageEntry } from '../i18n/languages.ts';
import {
  type AdminParts,
  buildCall,
  encodeTimestamp,
  isConfirmable,
  isProofMissing,
  withProofHint,
} from './admin-call.ts';
import { buildScreenMessage, button, type ChatContext, escapeHtml, getTexts, type Screen } from './screen.ts';

export interface AdminScreens {
  /** Figures of the panel. `hasOwn`: the account also has a subscription. */
  overview(ctx: ChatContext, admin: AdminRow, hasOwn: boolean): Screen;
  /** Checks the second factor's code, which broadcasts and backups need. */
  prove(ctx: ChatContext, admin: AdminRow, code: string): Promise<Screen>;
  /** Asks for confirmation before a backup is made. */
  askBackup(ctx: ChatContext): Screen;
  /** Makes a backup with the passphrase of scheduled ones and sends it to the account, once. */
  sendBackup(ctx: ChatContext, admin: AdminRow, stamp: string): Screen;
}

function listMessages(ctx: ChatContext, screen: Screen) {
  const message = buildScreenMessage(ctx, screen);
  return message === null ? [] : [message];
}

export function createAdminScreens({ core, botService, clock }: AdminParts): AdminScreens {
  function overview(ctx: ChatContext, admin: AdminRow, hasOwn: boolean): Screen {
    const t = getTexts(ctx);
    const { language } = ctx;
    const { tag } = languageEntry(language);
    const call = buildCall(ctx, admin);
    const { users, traffic, nodes } = core.call('getOverview', {}, call).body;
    const sales = core.call('getSales', { days: 30 }, call).body;
    const waiting = core.call('listAttention', { open: true, limit: 1 }, call).body.total;
    const bytes = ({ up, down }: { readonly up: number; readonly down: number }) => formatBytes(up + down, language);
    const income = sales.income.map((one) => formatMoney(one, tag)).join(', ');
    const lines = [
      `<b>${escapeHtml(core.settings().panelTitle)}</b>`,
      t('admin.users', { total: users.total, active: users.active, online: users.online }),
      t('admin.ending', { count: users.expiring_7d }),
      t('admin.traffic', { today: bytes(traffic.today), month: bytes(traffic.month) }),
      t('admin.nodes', { up: nodes.up, total: nodes.total }),
      ...(income === '' ? [] : [escapeHtml(t('admin.income', { income }))]),
      ...(waiting === 0 ? [] : [t('admin.waiting', { count: waiting })]),
      '',
      t('admin.findHint'),
    ];
    const own = hasOwn ? [button(t('buttons.home'), 'mine')] : [];
    const buttons = [
      [button(t('admin.broadcast.title'), 'broadcast'), button(t('admin.backup.title'), 'backup')],
      [button(t('buttons.refresh'), 'admin'), ...own],
    ];
    return { text: lines.join('\n'), buttons };
  }

  function askBackup(ctx: ChatContext): Screen {
    const t = getTexts(ctx);
    const stamp = encodeTimestamp(clock.now());
    const buttons = [[button(t('admin.confirm'), `backup:${stamp}`)], [button(t('buttons.back'), 'admin')]];
    return { text: t('admin.backup.sure'), buttons };
  }

  function sendBackup(ctx: ChatContext, admin: AdminRow, stamp: string): Screen {
    const t = getTexts(ctx);
    if (!isConfirmable(stamp, clock.now())) return askBackup(ctx);
    const back = [[button(t('buttons.back'), 'admin')]];
    const call = buildCall(ctx, admin, `${admin.telegramId}:backup:${stamp}`);
    // Takes a while, so it runs beside the queue of updates.
    ctx.later = async () => {
      try {
        await core.call('sendBackup', {}, call);
        return [];
      } catch (error) {
        if (!(error instanceof PanelError)) throw error;
        if (isProofMissing(error)) return listMessages(ctx, withProofHint(ctx, { botService }, askBackup(ctx)));
        const text = t(error.code === 'validation' ? 'admin.backup.noPassphrase' : 'admin.failed', {
          code: error.code,
        });
        return listMessages(ctx, { text, buttons: back });
      }
    };
    return { text: t('admin.backup.begun'), buttons: back };
  }

  async function prove(ctx: ChatContext, admin: AdminRow, code: string): Promise<Screen> {
    const t = getTexts(ctx);
    const buttons = [[button(t('buttons.back'), 'admin')]];
    if (code === '') return { text: t('admin.proof.usage'), buttons };
    const outcome = await botService.prove(admin.telegramId, code);
    const key = outcome === 'no_factor' ? 'noFactor' : outcome;
    return { text: t(`admin.proof.${key}`, { minutes: PROOF_MINUTES }), buttons };
  }

  return { overview, prove, askBackup, sendBackup };
}
