// The shape of a file of texts in Russian.
import type { Translation } from '../translation.ts';

export type Russian<English> = Translation<English, 'one' | 'few' | 'many' | 'other'>;
