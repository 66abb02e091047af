// `npx node scripts/sign.ts <folder>`: signs the files of a release with the key in $RELEASE_KEY, each with its name and version in the signed
// comment, and writes the description of the channel's newest release. `--again <description>`: signs that one again, so that it does not
// expire before the next release.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ReleaseManifest, releaseManifest } from '../src/contract/updates.ts';
import { readSecretKey, signBytes } from './minisign.ts';
import { root } from './run.ts';

const DAY_MS = 86_400_000;
/** A description is signed again every month (.github/workflows/renew.yml). */
const VALID_MS = 90 * DAY_MS;
/** What of a release is signed: archives of the panel, and the desktop's packages for Linux, whose system checks no signature. */
const SIGNED = /^gatehouse-.*\.(?:tar\.gz|AppImage|deb|rpm)$/;
const ARCHIVE = /^gatehouse-[\d.]+-([a-z0-9]+-[a-z0-9_]+)\.tar\.gz$/;

function signFile(path: string, version: string): void {
  const key = readSecretKey(process.env.RELEASE_KEY ?? '');
  const comment = `gatehouse file=${basename(path)} version=${version}`;
  writeFileSync(`${path}.minisig`, signBytes(readFileSync(path), key, comment));
  console.log(`signed ${basename(path)}`);
}

function describe(folder: string, version: string): ReleaseManifest {
  const now = new Date();
  const files = readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const platform = ARCHIVE.exec(name)?.[1];
      if (platform === undefined) return [];
      const bytes = readFileSync(join(folder, name));
      return [{ platform, name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }];
    });
  return {
    version,
    published_at: now.toISOString(),
    ...validFrom(now),
    notes: extractNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version),
    files,
  };
}

const validFrom = (now: Date) => ({
  signed_at: now.toISOString(),
  expires_at: new Date(now.getTime() + VALID_MS).toISOString(),
});

/** What the change log says under the version's heading; all of it where there is none. */
function extractNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m);
  const own = sections.find((section) => section.startsWith(version) || section.startsWith(`[${version}]`));
  return (own?.replace(/^.*\n/, '') ?? changelog).trim().slice(0, 50_000);
}

function writeDescription(path: string, manifest: ReleaseManifest): void {
  writeFileSync(path, `${JSON.stringify(releaseManifest.parse(manifest), null, 2)}\n`);
  signFile(path, manifest.version);
}

const args = process.argv.slice(2);
const [target = 'dist'] = args.filter((arg) => !arg.startsWith('--'));
if (args.includes('--again')) {
  const manifest = releaseManifest.parse(JSON.parse(readFileSync(target, 'utf8')));
  writeDescription(target, { ...manifest, ...validFrom(new Date()) });
} else {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { channel } = JSON.parse(readFileSync(join(root, 'release.json'), 'utf8'));
  for (const name of readdirSync(target).filter((name) => SIGNED.test(name))) signFile(join(target, name), version);
  writeDescription(join(target, `gatehouse-${channel}.json`), describe(target, version));
}
