// Releases of a test: installations, signed archives made of the built bundle, and a server that serves them, badly where asked to.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { makeKeyPair, readSecretKey, signBytes } from '../../scripts/minisign.ts';
import { root as project } from '../../scripts/run.ts';

const { publicKey, secretKey } = makeKeyPair();
const secret = readSecretKey(secretKey);
export const PLATFORM = `${process.platform}-${process.arch}`;
export const FIRST = '1.0.0';

export interface Build {
  readonly version: string;
  /** Replaces bin/panel.mjs: it has `run`, which runs the command line, and `command`, its first argument. */
  readonly main?: string;
  /** One more migration. */
  readonly migration?: string;
  /** What package.json says. */
  readonly saysVersion?: string;
}

export interface Released extends Build {
  readonly platform?: string;
  /** Of the archive's signature; by default its own name and version. */
  readonly comment?: string;
  /** Changes the archive after it was signed. */
  readonly tamper?: (archive: Buffer) => Buffer;
  readonly signedAt?: string;
  readonly expiresAt?: string;
  /** Another secret key than the one that is trusted. */
  readonly key?: ReturnType<typeof readSecretKey>;
}

/** How the server answers for the archive. */
type Answer = (reply: ServerResponse, archive: Buffer) => void;

export interface ReleaseServer extends AsyncDisposable {
  /** The folder with `panel`, in which version 1.0.0 is installed. */
  readonly root: string;
  /** Publishes a release as the newest; returns the path of its archive, its signature beside it. */
  publish(release: Released, answer?: Answer): string;
  /** What was asked for. */
  readonly asked: readonly string[];
}

/** Needs the built bundle. */
export async function openReleaseServer(): Promise<ReleaseServer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-releases-'));
  const files = new Map<string, Buffer>();
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const name = (request.url ?? '').slice(1);
    asked.push(name);
    const file = files.get(name);
    if (file === undefined) return void reply.writeHead(404).end();
    const answer = answers.get(name);
    if (answer) return answer(reply, file);
    reply.end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const feed = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const source = { channel: 'stable', feed, keys: [publicKey] };

  const root = join(folder, 'installed', 'gatehouse');
  mkdirSync(root, { recursive: true });
  buildVersion(join(root, 'versions', FIRST), { version: FIRST }, source);
  writeFileSync(join(root, 'current'), `${FIRST}\n`);
  cpSync(join(project, 'resources/launcher.sh'), join(root, 'panel'));
  // Versions find their packages in the folders above them: these need none of their own.
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));

  /** Archives by what they are built of: most releases of a test differ only in their description. */
  const archives = new Map<string, Buffer>();
  const buildArchive = (build: Build): Buffer => {
    const { version, main, migration, saysVersion } = build;
    const what = JSON.stringify([version, main, migration, saysVersion]);
    const known = archives.get(what);
    if (known !== undefined) return known;
    const staged = join(folder, 'staged');
    const file = join(folder, 'staged.tar.gz');
    buildVersion(join(staged, 'gatehouse/versions', version), build, source);
    create({ sync: true, gzip: { level: 1 }, file, cwd: staged, portable: true }, ['gatehouse']);
    rmSync(staged, { recursive: true, force: true });
    const archive = readFileSync(file);
    archives.set(what, archive);
    return archive;
  };

  return {
    root,
    asked,
    publish(release, answer) {
      const { version, platform = PLATFORM, key = secret } = release;
      const name = `gatehouse-${version}-${platform}.tar.gz`;
      const path = join(folder, name);
      const built = buildArchive(release);
      const comment = release.comment ?? `gatehouse file=${name} version=${version}`;
      const signature = Buffer.from(signBytes(built, key, comment));
      const archive = release.tamper?.(built) ?? built;
      writeFileSync(path, archive);
      writeFileSync(`${path}.minisig`, signature);
      const sha256 = createHash('sha256').update(archive).digest('hex');
      const manifest = Buffer.from(
        JSON.stringify({
          version,
          published_at: '2026-01-01T00:00:00.000Z',
          signed_at: release.signedAt ?? '2026-01-01T00:00:00.000Z',
          expires_at: release.expiresAt ?? '2999-01-01T00:00:00.000Z',
          notes: `What is new in ${version}.`,
          files: [{ platform, name, size: statSync(path).size, sha256 }],
        }),
      );
      const described = `gatehouse file=gatehouse-stable.json version=${version}`;
      files.set('gatehouse-stable.json', manifest);
      files.set('gatehouse-stable.json.minisig', Buffer.from(signBytes(manifest, key, described)));
      files.set(name, archive);
      files.set(`${name}.minisig`, signature);
      answers.clear();
      if (answer) answers.set(name, answer);
      return path;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A version as an archive has it, without packages of its own. */
function buildVersion(home: string, { version, main, migration, saysVersion = version }: Build, source: object): void {
  mkdirSync(join(home, 'bin'), { recursive: true });
  const out = join(project, 'out');
  cpSync(join(out, 'main'), join(home, 'out/main'), { recursive: true, filter: (path) => !path.endsWith('.map') });
  mkdirSync(join(home, 'out/renderer'));
  cpSync(join(out, 'renderer/index.html'), join(home, 'out/renderer/index.html'));
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({ name: 'gatehouse', version: saysVersion, type: 'module' }),
  );
  writeFileSync(join(home, 'release.json'), JSON.stringify(source));
  if (migration !== undefined) writeFileSync(join(home, 'out/main/migrations/0002_more.sql'), migration);
  const text = `const [, , command] = process.argv;
const run = () => import('../out/main/cli.js');
${main ?? 'await run();'}
`;
  writeFileSync(join(home, 'bin/panel.mjs'), text);
}
