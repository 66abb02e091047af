// Matches paths to routes in one pass. Built from the table of operations only.
import { pathKinds } from '../contract/input/input.ts';
import { API_OPERATIONS } from '../contract/table.ts';

export type RoutedOperation = (typeof API_OPERATIONS)[number];

/** All methods of one path template. */
export interface Route {
  /** As in the table: `/users/{id}`. */
  readonly template: string;
  /** Names of the path parameters, in order. */
  readonly names: readonly string[];
  /** By method; HEAD stands beside GET. */
  readonly operations: ReadonlyMap<string, RoutedOperation>;
  /** The Allow header: every method that works here. */
  readonly allow: string;
}

export interface Match {
  readonly route: Route;
  /** Values of the path parameters: ids, or the text of a parameter that is one. */
  readonly params: Readonly<Record<string, number | string>>;
}

/** One segment of the paths: fixed names first, then the parameter. */
interface Branch {
  readonly fixed: Map<string, Branch>;
  parameter: Branch | null;
  /** The parameter is any text, percent-encoded; otherwise digits only. */
  acceptsText: boolean;
  route: Route | null;
}

export interface Router {
  /** The route of a path below base_url, without query; null: none. A malformed id matches nothing. */
  match(path: string): Match | null;
  /** Every route, in the order of the table. */
  readonly routes: readonly Route[];
}

export function createRouter(operations: readonly RoutedOperation[] = API_OPERATIONS): Router {
  const root: Branch = newBranch();
  const routes = [...Map.groupBy(operations, ({ path }) => path)].map(([template, group]) =>
    buildRoute(template, group),
  );
  for (const route of routes) addRoute(root, route);
  return { routes, match: (path) => find(root, path) };
}

function newBranch(): Branch {
  return { fixed: new Map(), parameter: null, acceptsText: false, route: null };
}

function buildRoute(template: string, group: readonly RoutedOperation[]): Route {
  const operations = new Map<string, RoutedOperation>();
  for (const operation of group) {
    operations.set(operation.method, operation);
    if (operation.method === 'GET') operations.set('HEAD', operation);
  }
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  return { template, names, operations, allow: [...operations.keys(), 'OPTIONS'].join(', ') };
}

function addRoute(root: Branch, route: Route): void {
  let branch = root;
  for (const segment of route.template.slice(1).split('/')) {
    if (segment.startsWith('{')) {
      branch.acceptsText = isText(route, segment.slice(1, -1));
      branch.parameter ??= newBranch();
      branch = branch.parameter;
    } else {
      const next = branch.fixed.get(segment) ?? newBranch();
      branch.fixed.set(segment, next);
      branch = next;
    }
  }
  branch.route = route;
}

function isText({ operations }: Route, name: string): boolean {
  return [...operations.values()].some((operation) => pathKinds(operation).get(name) === 'string');
}

function find(root: Branch, path: string): Match | null {
  let branch = root;
  let values: (number | string)[] | null = null;
  for (let start = 1; start <= path.length; ) {
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    const segment = path.slice(start, end);
    const fixed = branch.fixed.get(segment);
    if (fixed !== undefined) {
      branch = fixed;
    } else {
      if (branch.parameter === null) return null;
      const value = branch.acceptsText ? decodeSegment(segment) : parseId(segment);
      if (value === null) return null;
      branch = branch.parameter;
      values = values === null ? [value] : [...values, value];
    }
    if (slash < 0) break;
    start = slash + 1;
    if (start > path.length - 1) return null;
  }
  return branch.route === null ? null : { route: branch.route, params: buildParams(branch.route, values) };
}

/** Decodes a percent-encoded text, which may contain an encoded slash; null: not UTF-8. */
function decodeSegment(segment: string): string | null {
  if (segment === '') return null;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** A positive safe integer in canonical form; null for everything else. */
function parseId(segment: string): number | null {
  if (segment.length === 0 || segment.length > 16 || segment.charCodeAt(0) === 48) return null;
  let value = 0;
  for (let index = 0; index < segment.length; index++) {
    const digit = segment.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : null;
}

function buildParams(route: Route, values: readonly (number | string)[] | null): Match['params'] {
  const params: Record<string, number | string> = {};
  if (values === null) return params;
  for (let index = 0; index < values.length; index++) params[route.names[index] ?? ''] = values[index] ?? 0;
  return params;
}
