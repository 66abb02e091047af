// The source of this panel's releases, by release.json.

import { findInstallation, PLATFORM, readReleaseSource } from '../../adapters/installation.ts';
import { type DownloadLimits, download } from '../../adapters/releases/download.ts';
import { type Failed, manifestName, readKeys, readManifest } from '../../adapters/releases/release.ts';
import type { Releases } from '../../core/ports/releases.ts';

const MANIFEST_LIMITS: DownloadLimits = { maxBytes: 200_000, idleMs: 15_000, totalMs: 60_000 };
const SIGNATURE_LIMITS: DownloadLimits = { maxBytes: 2000, idleMs: 15_000, totalMs: 60_000 };

/** The desktop application has its own updater and no release.json. */
const DESKTOP: Releases = {
  installation: 'desktop',
  platform: PLATFORM,
  channel: 'stable',
  host: null,
  latest: async () => ({ problem: 'no_source' }),
};

export function openReleases(): Releases {
  if (process.versions.electron !== undefined) return DESKTOP;
  const { channel, feed, keys } = readReleaseSource();
  const trusted = readKeys(keys);
  const isKnown = feed !== null && trusted.length > 0;
  return {
    installation: findInstallation() === null ? 'checkout' : 'release',
    platform: PLATFORM,
    channel,
    host: isKnown ? new URL(feed).host : null,
    async latest() {
      if (!isKnown) return { problem: 'no_source' };
      const url = `${feed}/${manifestName(channel)}`;
      const signature = await readAll(`${url}.minisig`, SIGNATURE_LIMITS);
      if ('problem' in signature) return signature;
      const manifest = await readAll(url, MANIFEST_LIMITS);
      if ('problem' in manifest) return manifest;
      return readManifest(manifest.bytes, signature.bytes.toString('utf8'), channel, trusted);
    },
  };
}

async function readAll(url: string, limits: DownloadLimits): Promise<Failed | { readonly bytes: Buffer }> {
  const chunks: Buffer[] = [];
  const problem = await download(url, limits, (chunk) => void chunks.push(chunk));
  return problem === null ? { bytes: Buffer.concat(chunks) } : { problem };
}
