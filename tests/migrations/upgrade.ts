// A process that brings the database at its argument up to date, to be killed on the way. It says when it begins and when it is done.
import { writeSync } from 'node:fs';
import { openDatabase } from '../../src/store/index.ts';
import { laterMigrations } from './statements.ts';

const [file = '', version = ''] = process.argv.slice(2);
const migrations = laterMigrations().slice(0, Number(version));

writeSync(1, 'begun\n');
const began = performance.now();
const db = openDatabase(file, { migrations });
writeSync(1, `done ${performance.now() - began}\n`);
db.close();
