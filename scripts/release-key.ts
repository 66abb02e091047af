// `npx node scripts/release-key.ts <file>`: makes a pair of keys for releases. The secret key goes to <file>, for the secret RELEASE_KEY of the
// release workflow; the public key is printed, for `keys` in release.json. docs/updates.md has the rest.
import { writeFileSync } from 'node:fs';
import { makeKeyPair } from './minisign.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file for the secret key.');
const { publicKey, secretKey } = makeKeyPair();
writeFileSync(file, secretKey, { mode: 0o600, flag: 'wx' });
console.log(publicKey);
