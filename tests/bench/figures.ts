// Every figure, in the order in which they are measured and shown.
import type { Figure } from './figure.ts';
import { attacked } from './figures/attacked.ts';
import { bulk } from './figures/bulk.ts';
import { create } from './figures/create.ts';
import { deepOffset } from './figures/deep-offset.ts';
import { desktop } from './figures/desktop.ts';
import { engine } from './figures/engine.ts';
import { fill } from './figures/fill.ts';
import { fleet } from './figures/fleet.ts';
import { ingest } from './figures/ingest.ts';
import { keyset } from './figures/keyset.ts';
import { list } from './figures/list.ts';
import { memory } from './figures/memory.ts';
import { metrics } from './figures/metrics.ts';
import { beside } from './figures/mixed-load.ts';
import { oneUser } from './figures/one-user.ts';
import { pages } from './figures/pages.ts';
import { search } from './figures/search.ts';
import { shop } from './figures/shop.ts';
import { subscriptions } from './figures/subscriptions.ts';
import { tableSize } from './figures/table-size.ts';
import { tls } from './figures/tls.ts';
import { traffic } from './figures/traffic.ts';
import { webhooks } from './figures/webhooks.ts';

export const FIGURES: readonly Figure[] = [
  oneUser,
  list,
  subscriptions,
  tls,
  create,
  bulk,
  traffic,
  memory,
  tableSize,
  keyset,
  deepOffset,
  search,
  beside,
  attacked,
  webhooks,
  shop,
  metrics,
  engine,
  ingest,
  fleet,
  fill,
  pages,
  desktop,
];
