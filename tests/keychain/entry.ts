// Does to the session's keychain what a person or another program does: `get`, `set`, `delete` of one entry. Prints what it found.
import { AsyncEntry } from 'keytar';

const [, , action, account = '', value = ''] = process.argv;
const entry = new AsyncEntry('Gatehouse', account, { linux: { store: 'secret-service' } });
if (action === 'set') await entry.setPassword(value);
if (action === 'delete') await entry.deletePassword();
console.log(JSON.stringify(await entry.getPassword()));
