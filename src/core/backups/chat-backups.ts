// Sends backups to the administrator's chats: encrypted with a passphrase that appears in no message; files are read when they are sent.
import type { Input, Output } from '../../contract/table.ts';
import { hostTexts } from '../../i18n/host.ts';
import type { AsyncContext, Env, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { getChatLanguage } from '../notify/buyer-notices.ts';
import type { BackupFile } from '../ports/backups.ts';
import { PRIORITIES } from '../ports/bot.ts';
import { requireFreshProof } from '../proof/proof.ts';
import { PASSPHRASE_PLACE, requireBackups } from './backups.ts';
import { openPassphrase } from './place-access.ts';

type ChatBackupsEnv = Pick<Env, 'backups' | 'settings' | 'store' | 'vault'>;

/** Telegram's limit for files sent by bots, bytes. */
export const MAX_CHAT_BACKUP = 50 * 1000 * 1000;

/** Queues a backup for all administrator accounts, or for one of them. Returns the number of recipients; 0 if it cannot be sent. */
export function queueBackup(tx: Transaction, file: BackupFile, only: number | null): number {
  const { store, now } = tx;
  if (!file.encrypted || file.sizeBytes > MAX_CHAT_BACKUP || !findRunningBot(tx)) return 0;
  const accounts = store.bot.admins().filter(({ telegramId }) => only === null || telegramId === only);
  for (const { telegramId: chatId } of accounts) {
    const t = hostTexts(getChatLanguage(tx, chatId), 'bot');
    const payload = { document: { backup: file.name }, caption: t('admin.backup.caption'), protect_content: false };
    const dedupeKey = only === null ? `backup:${file.name}:${chatId}`.slice(0, 200) : null;
    store.bot.enqueue({ chatId, dedupeKey, method: 'sendDocument', payload, priority: PRIORITIES.notice }, now);
  }
  return accounts.length;
}

/** The bytes of an encrypted backup; null if it does not exist or is not encrypted. */
export async function readEncrypted({ backups }: Pick<Env, 'backups'>, name: string): Promise<Uint8Array | null> {
  const file = backups?.list().find((one) => one.name === name);
  const opened = file?.encrypted === true && file.sizeBytes <= MAX_CHAT_BACKUP ? backups?.open(name) : null;
  if (!opened) return null;
  const bytes = new Uint8Array(opened.sizeBytes);
  let at = 0;
  for await (const chunk of opened.chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Creates a backup with the passphrase of the chat or of the schedule. Throws PanelError `vault_unavailable`, `validation` (none is set). */
async function makeEncrypted(env: ChatBackupsEnv): Promise<BackupFile> {
  await env.vault.prepare();
  const chat = env.store.backupPlaces.all().find(({ kind }) => kind === 'chat');
  const passphrase = chat ? openPassphrase(env, chat) : openScheduled(env);
  if (passphrase === null)
    throw bodyError(
      'validation',
      '#/name',
      'required',
      'is missing, as neither the chat nor scheduled backups have a passphrase',
    );
  return requireBackups(env).create('manual', passphrase);
}

function openScheduled({ store, vault, settings }: ChatBackupsEnv): string | null {
  const row = store.sealed.get(PASSPHRASE_PLACE);
  return row && settings().backupSchedule.encrypted ? vault.open(row) : null;
}

async function sendBackup({ name }: Input<'sendBackup'>, { env, call, commit }: AsyncContext<'sendBackup'>) {
  if (!findRunningBot(env)) throw new PanelError('bot_off');
  // Creating backups repeatedly would fill the disk; from the chat, a stolen Telegram account could export the data.
  if (name === undefined || call.actor.kind === 'bot') requireFreshProof(env, call);
  const file =
    name === undefined
      ? await makeEncrypted(env)
      : requireBackups(env)
          .list()
          .find((one) => one.name === name);
  if (!file) throw new PanelError('not_found');
  if (!file.encrypted) throw bodyError('validation', '#/name', 'inconsistent', 'has no passphrase, and is not sent');
  if (file.sizeBytes > MAX_CHAT_BACKUP)
    throw bodyError('validation', '#/name', 'too_big', 'is larger than Telegram takes from a bot');
  const only = call.actor.kind === 'bot' ? call.actor.id : null;
  return commit((tx): { body: Output<'sendBackup'> } => {
    const accounts = queueBackup(tx, file, only);
    if (name === undefined) tx.emit('backup.made', { name: file.name });
    tx.audit(`backup:${file.name}`, { accounts });
    return { body: { name: file.name, accounts } };
  });
}

export const CHAT_BACKUP_HANDLERS = {
  sendBackup: { run: sendBackup },
} satisfies Handlers<'sendBackup'>;
