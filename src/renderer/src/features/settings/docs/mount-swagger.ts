// Draws swagger-ui into a node and takes it out again. It never fetches: the description is given to it, and what is tried goes
// through `send`. It brings a React of its own and no way out, so its root is made to draw nothing before it is let go.
import SwaggerUI, { type SwaggerPlugin, type SwaggerSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { filterOperations } from './filter-operations.ts';
import { nameControls } from './name-controls.ts';
import { createParts, type PartsOptions } from './swagger-parts.ts';

export interface DocsOptions extends PartsOptions {
  readonly node: HTMLElement;
  /** The OpenAPI document. It is changed by swagger-ui: give it a copy. */
  readonly spec: object;
  /** Sends a GET request for `url`, which begins with the document's server. */
  send(url: string, accept: string | undefined): Promise<Response>;
}

export interface MountedDocs {
  /** Shows the methods whose path, name or summary holds a text; all for ''. */
  filter(text: string): void;
  unmount(): void;
}

export function mountSwagger({ node, spec, send, ...parts }: DocsOptions): MountedDocs {
  let leave = () => {};
  const system = SwaggerUI({
    domNode: node,
    spec,
    layout: 'PanelLayout',
    plugins: [
      (base) => createParts(base, parts),
      () =>
        rootPlugin((off) => {
          leave = off;
        }),
    ],
    supportedSubmitMethods: ['get'],
    validatorUrl: null,
    deepLinking: false,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: false,
    persistAuthorization: false,
    filter: false,
    syntaxHighlight: false,
    requestInterceptor: (request) => {
      request.userFetch = (url, { headers }) => send(url, headers.accept ?? headers.Accept);
      return request;
    },
  });
  const stopNaming = nameControls(node);
  return {
    filter: (text) => system.layoutActions.updateFilter(text.trim() === '' ? false : text),
    unmount() {
      stopNaming();
      leave();
      forget(system.fn);
    },
  };
}

/** Wraps the whole tree in a switch, and the filter of methods in one that looks at more than tags. */
function rootPlugin(onReady: (off: () => void) => void): SwaggerPlugin {
  return {
    fn: { opsFilter: filterOperations },
    wrapComponents: {
      App: (App: unknown, { React }: SwaggerSystem) =>
        function Switch(props: object) {
          // biome-ignore lint/correctness/useHookAtTopLevel: this is a component, of swagger-ui's own React.
          const [isOn, setOn] = React.useState(true);
          // biome-ignore lint/correctness/useHookAtTopLevel: this is a component, of swagger-ui's own React.
          React.useEffect(() => {
            onReady(() => setOn(false));
            return undefined;
          }, []);
          return isOn ? React.createElement(App, props) : null;
        },
    },
  };
}

/** What swagger-ui remembers beyond one opening, by a copy of the description that comes to no use again: samples of schemas. */
function forget(functions: Readonly<Record<string, unknown>>): void {
  for (const one of Object.values(functions)) {
    if (typeof one === 'function' && 'cache' in one && one.cache instanceof Map) one.cache.clear();
    else if (typeof one === 'object' && one !== null) forget(one as Readonly<Record<string, unknown>>);
  }
}
