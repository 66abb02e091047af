// Types the keys of all texts by the English ones: a key that does not exist is a compile error.
import 'i18next';
import type { host } from './en/host/index.ts';
import type { pages } from './en/pages/index.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: typeof pages & typeof host;
  }
}
