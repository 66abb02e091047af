// Loaded before the panel: makes every folder look as if it were on NFS.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const NFS = 0x6969;
const { statfsSync } = fs;

fs.statfsSync = ((path: string) => ({ ...statfsSync(path), type: NFS })) as typeof fs.statfsSync;
syncBuiltinESMExports();
