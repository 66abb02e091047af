// Lets the compiler know every text: a key that does not exist is an error.
import 'i18next';
import type { en } from './en/pages/index.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: typeof en;
  }
}
