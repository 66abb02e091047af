// Lets the built desktop run where there is no Electron: `node --import …/register.ts out/main/index.js`.
import { registerHooks } from 'node:module';

const STAND_IN = new URL('./index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: STAND_IN, shortCircuit: true } : next(specifier, context),
});
