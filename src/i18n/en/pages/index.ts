// All texts in English: the one list of namespaces, one file for each feature.
import { access } from './access.ts';
import { audit } from './audit.ts';
import { common } from './common.ts';
import { connections } from './connections.ts';
import { errors } from './errors.ts';
import { frame } from './frame.ts';
import { nodes } from './nodes.ts';
import { overview } from './overview.ts';
import { plans } from './plans.ts';
import { sales } from './sales.ts';
import { settings } from './settings.ts';
import { users } from './users.ts';

export const pages = {
  access,
  audit,
  common,
  connections,
  errors,
  frame,
  nodes,
  overview,
  plans,
  sales,
  settings,
  users,
};
