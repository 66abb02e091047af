// A panel that makes and restores backups by turns, and says on stdout what is done, until it is killed.
// Arguments: its place, what to do (`restore`: once to the other state; `forever`: all of it), the file that arms die-at.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSPHRASE, PASSWORD, startMachine } from './machine.ts';

const [place = '', what = '', armed = ''] = process.argv.slice(2);
const machine = await startMachine({ place });
const printLine = (line: string) => process.stdout.write(`${line}\n`);

async function restore(state: string): Promise<void> {
  const path = join(place, `${state}.gatehouse-backup`);
  await machine.core.local.restore(path, PASSPHRASE);
  printLine(`restored ${state}`);
}

async function user(number: number): Promise<void> {
  const { id } = await machine.act('createUser', { name: `made ${number}`, tariff_id: 1 });
  printLine(`user ${id}`);
}

printLine('ready');
if (what === 'restore') {
  writeFileSync(armed, '');
  await restore('new');
} else if (what === 'backup') {
  await user(1);
  writeFileSync(armed, '');
  const { name } = await machine.act('createBackup', { passphrase: PASSPHRASE });
  printLine(`backup ${name}`);
} else {
  for (let round = 1; ; round += 1) {
    await user(round);
    await machine.act('createBackup', round % 2 === 0 ? {} : { passphrase: PASSPHRASE });
    await machine.act('scheduleBackups', { every_hours: round % 24 || 24, keep: 3 });
    await machine.act('signIn', { name: 'admin', password: PASSWORD });
    await restore(round % 2 === 0 ? 'old' : 'new');
  }
}
printLine('done');
process.exit(0);
