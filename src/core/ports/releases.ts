// The port of releases: where newer versions of the panel come from.
import type { Installation, ReleaseManifest, UpdateProblem } from '../../contract/updates.ts';

export interface Releases {
  readonly installation: Installation;
  /** As releases name this system: `linux-x64`. */
  readonly platform: string;
  readonly channel: string;
  /** The host that is asked; null: none is known. */
  readonly host: string | null;
  /** The newest release, its signature verified. Never rejects. */
  latest(): Promise<ReleaseManifest | { readonly problem: UpdateProblem }>;
}
