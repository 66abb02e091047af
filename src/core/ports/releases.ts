// The port of releases: the source of newer versions of the panel.
import type { Installation, ReleaseManifest, UpdateProblem } from '../../contract/updates.ts';

export interface Releases {
  readonly installation: Installation;
  /** The name of this system in releases: `linux-x64`. */
  readonly platform: string;
  readonly channel: string;
  /** The host of releases; null: none is configured. */
  readonly host: string | null;
  /** The newest release, its signature verified. Never rejects. */
  latest(): Promise<ReleaseManifest | { readonly problem: UpdateProblem }>;
}
