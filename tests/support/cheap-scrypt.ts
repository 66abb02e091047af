// Loaded into processes that tests start: makes password hashes cheap where hashing is not what is tested. At its real cost each sign-in,
// key and confirmation takes half a second of a processor.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { CHEAP_COST } from './cheap-password.ts';

const { scrypt } = crypto;
const MAX = 2 ** CHEAP_COST;

type Derive = (
  password: crypto.BinaryLike,
  salt: crypto.BinaryLike,
  length: number,
  options: crypto.ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => void;

const derive: Derive = (password, salt, length, options, done) =>
  scrypt(password, salt, length, { ...options, N: Math.min(options.N ?? MAX, MAX) }, done);

Object.assign(crypto, { scrypt: derive });
syncBuiltinESMExports();
