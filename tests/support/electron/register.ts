// Lets the built desktop run where there is no Electron: `node --import …/register.ts out/main/index.js`.
import { registerHooks } from 'node:module';
import '../cheap-scrypt.ts';

const STAND_INS = new Map([
  ['electron', new URL('./index.ts', import.meta.url).href],
  ['electron-updater', new URL('./updater.ts', import.meta.url).href],
]);

registerHooks({
  resolve(specifier, context, next) {
    const url = STAND_INS.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});
