// Backups on an SFTP server whose host key is pinned. A file is renamed to its final name only when it is complete and, if the server
// supports it, synced to disk.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { promisify } from 'node:util';
import { Client, type SFTPWrapper } from 'ssh2';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { BackupPlace, SftpAccess } from '../../core/ports/backup-places.ts';
import { buildPartialName, isLeftover, isPlacedName } from '../../domain/backup-places.ts';
import { isAllowedAddress } from '../outbound-address.ts';
import { checkedLookup } from '../outbound-client.ts';
import { attemptAtPlace, createPlaceFailure } from './failure.ts';

const READY_MS = 30_000;
/** Interval of keep-alive requests; the connection ends after several without an answer. */
const ALIVE_MS = 15_000;
const MAX_SILENT = 4;
// SSH_FXP_STATUS of the protocol (draft-ietf-secsh-filexfer-02).
const NO_SUCH_FILE = 2;
const PERMISSION_DENIED = 3;
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;

/** As `ssh-keygen -lf` prints it. */
function computeFingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

function openConnection(
  access: SftpAccess,
  onEnd: () => void,
): Promise<{ readonly client: Client; readonly sftp: SFTPWrapper }> {
  const { host, port, user, hostKey, allowPrivate, password, privateKey } = access;
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0 && !isAllowedAddress(host, allowPrivate)) {
      reject(createPlaceFailure('address_refused', host));
      return;
    }
    const socket = connect({ host, port, lookup: checkedLookup(allowPrivate) });
    const client = new Client();
    let shown: string | null = null;
    const fail = (error: Error & { readonly level?: string }) => {
      client.destroy();
      socket.destroy();
      onEnd();
      if (shown !== null && shown !== hostKey) reject(createPlaceFailure('host_key', shown));
      else if (error.level === 'client-authentication') reject(createPlaceFailure('keys_refused', user));
      else if (error.level === 'client-timeout') reject(createPlaceFailure('timeout', host));
      else reject(error);
    };
    socket.on('error', fail);
    client.on('error', fail);
    client.on('close', () => fail(new Error('the connection was closed')));
    client.on('ready', () => client.sftp((error, sftp) => (error ? fail(error) : resolve({ client, sftp }))));
    try {
      client.connect({
        sock: socket,
        username: user,
        ...(password !== null && { password }),
        ...(privateKey !== null && { privateKey }),
        readyTimeout: READY_MS,
        keepaliveInterval: ALIVE_MS,
        keepaliveCountMax: MAX_SILENT,
        hostVerifier: (key: Buffer) => {
          shown = computeFingerprint(key);
          return shown === hostKey;
        },
      });
    } catch (error) {
      socket.destroy();
      // A private key that cannot be read, or has a passphrase.
      reject(createPlaceFailure('keys_refused', error instanceof Error ? error.message : 'the key cannot be read'));
    }
  });
}

/** Turns SFTP errors into failures of the place. */
function toFailure(error: unknown): unknown {
  if (error instanceof PanelError || !(error instanceof Error) || !('code' in error)) return error;
  if (error.code === NO_SUCH_FILE) return createPlaceFailure('place_not_found', error.message);
  if (error.code === PERMISSION_DENIED) return createPlaceFailure('keys_refused', error.message);
  return typeof error.code === 'number' ? createPlaceFailure('place_refused', error.message) : error;
}

export function openSftpPlace(access: SftpAccess): BackupPlace {
  let opening: ReturnType<typeof openConnection> | null = null;
  const at = (name: string) => `${access.path.replace(/\/$/, '') || '.'}/${name}`;

  function run<T>(work: (sftp: SFTPWrapper) => Promise<T>): Promise<T> {
    return attemptAtPlace(async () => {
      opening ??= openConnection(access, () => {
        opening = null;
      });
      const { client, sftp } = await opening;
      // When the connection ends, the library never answers pending calls.
      const ended = Promise.withResolvers<never>();
      const fail = () => ended.reject(new Error('the connection was closed'));
      client.once('close', fail);
      try {
        return await Promise.race([work(sftp), ended.promise]);
      } catch (error) {
        throw toFailure(error);
      } finally {
        client.off('close', fail);
      }
    });
  }

  const readFolder = (sftp: SFTPWrapper) => promisify(sftp.readdir.bind(sftp))(access.path || '.');
  const measure = async (sftp: SFTPWrapper, path: string) => (await promisify(sftp.stat.bind(sftp))(path)).size;

  async function upload(sftp: SFTPWrapper, name: string, path: string): Promise<void> {
    const unlink = promisify(sftp.unlink.bind(sftp));
    for (const { filename } of await readFolder(sftp)) if (isLeftover(filename, name)) await unlink(at(filename));
    const partial = at(buildPartialName(name));
    await promisify<string, string, object, void>(sftp.fastPut.bind(sftp))(path, partial, { mode: 0o600 });
    await syncFile(sftp, partial);
    const [size, wanted] = [await measure(sftp, partial), statSync(path).size];
    if (size !== wanted) throw createPlaceFailure('place_mismatch', `${size} of ${wanted} bytes`);
    await promisify(sftp.rename.bind(sftp))(partial, at(name));
  }

  async function download(sftp: SFTPWrapper, name: string, target: string): Promise<void> {
    if (existsSync(target)) throw new Error(`${target} is there already`);
    await promisify<string, string, void>(sftp.fastGet.bind(sftp))(at(name), target);
    chmodSync(target, 0o600);
    const [size, wanted] = [statSync(target).size, await measure(sftp, at(name))];
    if (size !== wanted) throw createPlaceFailure('place_mismatch', `${size} of ${wanted} bytes`);
  }

  return {
    list: () =>
      run(async (sftp) =>
        (await readFolder(sftp))
          .filter(({ filename, attrs }) => isPlacedName(filename) && (attrs.mode & FILE_TYPE) === REGULAR)
          .map(({ filename, attrs }) => ({ name: filename, sizeBytes: attrs.size, storedAt: attrs.mtime * 1000 }))
          .sort((a, b) => b.storedAt - a.storedAt || (a.name < b.name ? 1 : -1)),
      ),
    upload: (name, path) => run((sftp) => upload(sftp, name, path)),
    download: (name, target) => run((sftp) => download(sftp, name, target)),
    remove: (name) => run((sftp) => promisify(sftp.unlink.bind(sftp))(at(name))),
    close() {
      opening?.then(({ client }) => client.end()).catch(() => {});
    },
  };
}

/** Uses OpenSSH's fsync extension; other servers decide themselves when to write to disk. */
async function syncFile(sftp: SFTPWrapper, path: string): Promise<void> {
  const handle = await promisify<string, 'r+', Buffer>(sftp.open.bind(sftp))(path, 'r+');
  try {
    await promisify(sftp.ext_openssh_fsync.bind(sftp))(handle);
  } catch (error) {
    if (!(error instanceof Error && /support/i.test(error.message))) throw error;
  } finally {
    await promisify(sftp.close.bind(sftp))(handle);
  }
}
