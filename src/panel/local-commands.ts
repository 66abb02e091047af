// Commands of the command line, run by the control socket or in the command's own process from one table.

import { join } from 'node:path';
import { z } from 'zod';
import { findInstallation, panelVersion } from '../adapters/installation.ts';
import { ACCESSES, EXPIRY_DAYS } from '../contract/access/keys.ts';
import { IMPORT_SOURCES } from '../contract/imports/document.ts';
import { bodyErrors } from '../contract/input/errors.ts';
import { openApiDocument } from '../contract/openapi/openapi.ts';
import type { Output } from '../contract/table.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Call } from '../core/ports/call.ts';
import type { Crypto, VaultState } from '../core/ports/ports.ts';
import { runOperation } from '../door/run-operation.ts';
import { switchLocalEngine } from './switch-engine.ts';
import { writeExport } from './write-export.ts';

/** Services for commands. */
export type CommandPanel = {
  readonly core: Core;
  readonly crypto: Crypto;
  /** The local authority's certificate; null on plain HTTP and before the first start. */
  caPath(): string | null;
  origin(): string;
  /** false: the panel door has no socket, so no link leads to it. */
  readonly hasDoor?: boolean;
  /** The data folder of a running panel, whose engines can be switched; default: none runs. */
  readonly folder?: string;
  /** The state of the running panel; default: none runs. */
  examine?(): Omit<RunningState, 'clock'>;
  /** The launcher that restarts this panel; default: none. */
  readonly launcher?: { restart(): void } | undefined;
};

/** State that only the running panel knows. */
export interface RunningState {
  readonly vault: VaultState;
  readonly place: { readonly host: string; readonly port: number } | null;
  readonly ignored_proxy: string | null;
  readonly clock: Output<'getClock'>;
}

export type Addresses = {
  readonly base_url: string;
  readonly panel_url: string;
  /** For `curl --cacert`; null: there is none. */
  readonly ca_file: string | null;
  /** Whether there is an administrator. */
  readonly set_up: boolean;
};

type Command<Args, Result> = { readonly args: z.ZodType<Args>; run(panel: CommandPanel, args: Args): Promise<Result> };

async function useClosing<P extends { close(): void }, T>(place: P, work: (place: P) => Promise<T>): Promise<T> {
  try {
    return await work(place);
  } finally {
    place.close();
  }
}

const ENGINE_NAME = /^(?:xray|v2ray)-\d+\.\d+\.\d+$/;
const none = z.strictObject({});
const importArgs = z.strictObject({
  // The answers of an API are one file for each page.
  paths: z.array(z.string()).min(1).max(1000),
  source: z.enum(IMPORT_SOURCES).nullable(),
  node_id: z.int().min(1).nullable(),
});
/** The core validates passwords and names. */
const text = z.string();

function command<Args, Result>(
  args: z.ZodType<Args>,
  run: (panel: CommandPanel, args: Args) => Promise<Result>,
): Command<Args, Result> {
  return { args, run };
}

export const COMMANDS = {
  addresses: command(none, async (panel) => getAddresses(panel)),
  'is-set-up': command(none, async ({ core }) => core.local.isSetUp()),
  /** A new one-time setup link; null if there is an administrator. */
  'setup-link': command(none, async (panel) => {
    if (panel.hasDoor === false) throw new PanelError('panel_only');
    const token = await panel.core.local.renewSetupToken();
    return { link: token === null ? null : setupLink(panel, token) };
  }),
  'set-up': command(z.strictObject({ name: text, password: text }), async ({ core }, { name, password }) => {
    await core.local.setUp(name, password);
    return { name };
  }),
  'reset-password': command(
    z.strictObject({ password: text, disable_two_factor: z.boolean().default(false) }),
    ({ core }, { password, disable_two_factor }) => core.local.resetPassword(password, disable_two_factor),
  ),
  'rotate-path': command(none, async (panel) => {
    await panel.core.local.rotateSecretPath();
    return getAddresses(panel);
  }),
  'has-second-factor': command(none, async ({ core }) => core.local.hasSecondFactor()),
  'key-add': command(
    z.strictObject({
      name: text,
      access: z.enum(ACCESSES),
      expires_in_days: z.literal(EXPIRY_DAYS).nullable(),
      password: text,
      code: text.optional(),
    }),
    (panel, { code, ...args }) =>
      runOperation(panel.core, 'createKey', code === undefined ? args : { ...args, code }, buildCall(panel)),
  ),
  'key-list': command(none, (panel) => runOperation(panel.core, 'listKeys', {}, buildCall(panel))),
  'key-revoke': command(z.strictObject({ id: z.int().min(1) }), (panel, args) =>
    runOperation(panel.core, 'revokeKey', args, buildCall(panel)),
  ),
  backup: command(z.strictObject({ passphrase: text.nullable() }), async (panel, { passphrase }) => {
    const input = passphrase === null ? {} : { passphrase };
    const made = await runOperation(panel.core, 'createBackup', input, buildCall(panel));
    const { folder } = await runOperation(panel.core, 'listBackups', {}, buildCall(panel));
    return { ...made, path: join(folder, made.name), instance_id: panel.core.settings().instanceId };
  }),
  /** Records that a backup was stored at a remote place. */
  'backup-stored': command(z.strictObject({ name: text, kind: text }), async ({ core }, { name, kind }) => {
    await core.local.recordStoredBackup(name, kind);
    return null;
  }),
  /** Stores a backup at the panel's place with this name. */
  'place-backup': command(z.strictObject({ place: text }), async ({ core }, { place }) => {
    const { name, sizeBytes, encrypted, removed } = await core.local.backUpToPlace(place);
    return { name, size_bytes: sizeBytes, encrypted, removed: [...removed] };
  }),
  'place-list': command(z.strictObject({ place: text }), ({ core }, { place }) =>
    useClosing(core.local.openPlace(place), (opened) => opened.list()),
  ),
  /** `target`: absolute path of a new file. */
  'place-fetch': command(
    z.strictObject({ place: text, name: text, target: text }),
    ({ core }, { place, name, target }) =>
      useClosing(core.local.openPlace(place), async (opened) => {
        await opened.download(name, target);
        return null;
      }),
  ),
  'backup-delete': command(z.strictObject({ name: text }), (panel, args) =>
    runOperation(panel.core, 'deleteBackup', args, buildCall(panel)),
  ),
  /** `path`: absolute. Checks as `restore` does, and changes nothing. */
  'restore-check': command(
    z.strictObject({ path: text, passphrase: text.nullable() }),
    ({ core }, { path, passphrase }) => core.local.checkBackup(path, passphrase),
  ),
  /** `path`: absolute. `confirm`: the fingerprint of a check. */
  restore: command(
    z.strictObject({
      path: text,
      passphrase: text.nullable(),
      confirm: text.nullable(),
      accept_keys: z.boolean(),
    }),
    async (panel, { path, passphrase, confirm, accept_keys }) => {
      const options = { confirmed: confirm, acceptsKeys: accept_keys };
      const restored = await panel.core.local.restore(path, passphrase, options);
      return { ...restored, ...getAddresses(panel) };
    },
  ),
  /** `paths`: absolute. What an import would do. */
  'import-plan': command(importArgs, ({ core }, { paths, source, node_id }) =>
    core.imports.plan({ paths, source, nodeId: node_id }),
  ),
  'import-apply': command(importArgs, ({ core }, { paths, source, node_id }) =>
    core.imports.apply({ paths, source, nodeId: node_id }),
  ),
  /** `target`: absolute path of a new file. */
  export: command(z.strictObject({ target: text }), async ({ core }, { target }) => {
    const { users, bytes } = await writeExport(core, target);
    return { path: target, users, size_bytes: bytes };
  }),
  /** Orders a certificate for a public name, with the challenge on the panel's own port. */
  'order-certificate': command(
    z.strictObject({ name: text, directory_url: text, email: text.nullable() }),
    async ({ core }, { name, directory_url, email }) => {
      await core.local.orderCertificate({
        directoryUrl: directory_url,
        email,
        names: [name.toLowerCase()],
        challenge: 'tls-alpn-01',
        httpPort: 80,
        targets: ['panel', 'links'],
      });
      return core.local.acme();
    },
  ),
  certificate: command(none, async ({ core }) => core.local.acme()),
  /** `name` such as `xray-26.3.27`; null: the bundled engine, or that of the PATH. */
  'engine-switch': command(
    z.strictObject({ name: z.string().regex(ENGINE_NAME).nullable() }),
    async (panel, { name }) => {
      if (panel.folder === undefined) throw new PanelError('unavailable');
      return switchLocalEngine({ core: panel.core, folder: panel.folder, call: buildCall(panel) }, name);
    },
  ),
  examine: command(none, async (panel): Promise<RunningState | null> => {
    if (!panel.examine) return null;
    return { ...panel.examine(), clock: await runOperation(panel.core, 'getClock', {}, buildCall(panel)) };
  }),
  'confirm-clock': command(none, (panel) => runOperation(panel.core, 'confirmClock', {}, buildCall(panel))),
  'update-check': command(none, ({ core }) => core.local.checkReleases()),
  'update-state': command(none, async ({ launcher }) => ({
    version: panelVersion(),
    root: findInstallation()?.root ?? null,
    launched: launcher !== undefined,
  })),
  /** The panel closes, and its launcher starts the installed version. */
  'update-restart': command(none, async ({ launcher }) => {
    if (!launcher) throw new PanelError('unavailable');
    launcher.restart();
    return { restarts: true };
  }),
  openapi: command(none, async ({ core }) => openApiDocument({ serverUrl: core.baseUrl() })),
};

export type CommandName = keyof typeof COMMANDS;
export type CommandArgs<Name extends CommandName> = z.output<(typeof COMMANDS)[Name]['args']>;
export type CommandResult<Name extends CommandName> = Awaited<ReturnType<(typeof COMMANDS)[Name]['run']>>;

/** Runs a command. Throws PanelError `not_found` for an unknown command, or `validation`. */
export async function dispatchCommand(panel: CommandPanel, name: string, args: unknown): Promise<unknown> {
  if (!Object.hasOwn(COMMANDS, name)) throw new PanelError('not_found');
  const { args: shape, run } = COMMANDS[name as CommandName] as Command<unknown, unknown>;
  const parsed = shape.safeParse(args);
  if (!parsed.success) {
    throw new PanelError('validation', bodyErrors(parsed.error.issues, args));
  }
  return run(panel, parsed.data);
}

/** The addresses of the panel and whether it is set up. */
export function getAddresses({ core, caPath, origin }: CommandPanel): Addresses {
  const panelUrl = `${origin()}/${core.settings().secretPath}/`;
  return { base_url: core.baseUrl(), panel_url: panelUrl, ca_file: caPath(), set_up: core.local.isSetUp() };
}

export function setupLink({ core, origin }: CommandPanel, token: string): string {
  return `${origin()}/${core.settings().secretPath}/setup/${token}`;
}

/** The command line acts as itself, with full access, and from no address. */
/** A call of the machine's owner. */
export function buildCall({ crypto }: Pick<CommandPanel, 'crypto'>): Call {
  return {
    actor: { kind: 'cli', id: null, name: 'command line', access: 'full' },
    requestId: crypto.uuid().replaceAll('-', ''),
    address: null,
  };
}
