// Panels in a process beside this one, which is started with the first of them and ends with this one.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export interface HostRequest {
  readonly id: number;
  /** `remove`: closes it and deletes the folder that holds its data folder. */
  readonly act: 'open' | 'close' | 'remove';
  /** The data folder, which is alone in its own folder but for the key file. */
  readonly folder: string;
  /** Left out: there is no place for secrets. */
  readonly keyFile?: string | undefined;
  /** More than 0: a demonstration with so many made-up users. */
  readonly users: number;
  /** Whether a demonstration sells through its test provider. */
  readonly sells?: boolean;
  /** 0: any free one. */
  readonly port: number;
}

export interface HostedPanel {
  /** With a slash at its end. */
  readonly panelUrl: string;
  readonly baseUrl: string;
  readonly caPath: string;
  /** null: there is an administrator. */
  readonly setupUrl: string | null;
}

export interface HostReply {
  readonly id: number;
  readonly opened?: HostedPanel;
  readonly error?: string;
}

type Place = Pick<HostRequest, 'folder' | 'keyFile' | 'users' | 'sells' | 'port'>;

let host: ChildProcess | null = null;
let lastId = 0;
const waiting = new Map<number, PromiseWithResolvers<HostedPanel | undefined>>();

function startHost(): ChildProcess {
  // Where there is no session bus there is no Secret Service: without a key file a panel has no place for secrets.
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  const child = fork(join(import.meta.dirname, 'panel-host.ts'), { env });
  child.on('message', ({ id, opened, error }: HostReply) => {
    if (error === undefined) waiting.get(id)?.resolve(opened);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
    if (waiting.size === 0) child.channel?.unref();
  });
  child.once('exit', (code) => {
    host = null;
    for (const { reject } of waiting.values()) reject(new Error(`the process of the panels ended with code ${code}`));
    waiting.clear();
  });
  // It ends with this process, which only waits for its replies.
  child.unref();
  return child;
}

function callHost(act: HostRequest['act'], place: Place): Promise<HostedPanel | undefined> {
  host ??= startHost();
  lastId += 1;
  const reply = Promise.withResolvers<HostedPanel | undefined>();
  waiting.set(lastId, reply);
  host.channel?.ref();
  host.send({ id: lastId, act, ...place } satisfies HostRequest);
  return reply.promise;
}

export async function openHosted(place: Place): Promise<HostedPanel> {
  const opened = await callHost('open', place);
  if (opened === undefined) throw new Error('no panel was opened');
  return opened;
}

/** Ends it as a signal does, and leaves its data. */
export async function closeHosted(folder: string): Promise<void> {
  await callHost('close', { folder, users: 0, port: 0 });
}

/** Ends it and deletes its data, which the caller need not wait for. */
export async function removeHosted(folder: string): Promise<void> {
  await callHost('remove', { folder, users: 0, port: 0 });
}
