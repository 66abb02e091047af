// Draws swagger-ui into a node and takes it out again. It never fetches: the description is given to it, and what is tried goes
// through `send`. It brings a React of its own and no way out, so its root is made to draw nothing before it is let go.
import SwaggerUI, {
  type SwaggerMap,
  type SwaggerPlugin,
  type SwaggerSystem,
} from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { filterOperations } from './filter-operations.ts';

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

/** Clears the samples of schemas that swagger-ui caches beyond one opening, by a copy of the description that is not used again. */
function forget(functions: Readonly<Record<string, unknown>>): void {
  for (const one of Object.values(functions)) {
    if (typeof one === 'function' && 'cache' in one && one.cache instanceof Map) one.cache.clear();
    else if (typeof one === 'object' && one !== null) forget(one as Readonly<Record<string, unknown>>);
  }
}

// Names the controls that swagger-ui leaves without a name, and removes misleading roles, for screen readers.

const UNNAMED = 'select:not([aria-label]), input:not([aria-label]):not([type=checkbox]), textarea:not([aria-label])';

/** Watches everything below a node until the returned function is called. */
function nameControls(node: HTMLElement): () => void {
  const look = () => {
    for (const control of node.querySelectorAll<HTMLElement>(UNNAMED)) {
      control.setAttribute('aria-label', nameOf(control));
    }
    // Each table of answers would be a landmark, all of one name.
    for (const table of node.querySelectorAll('table[role=region]')) table.removeAttribute('role');
    // A keyboard must be able to scroll what is higher than its box.
    for (const text of node.querySelectorAll('pre:not([tabindex])')) text.setAttribute('tabindex', '0');
  };
  const observer = new MutationObserver(look);
  observer.observe(node, { childList: true, subtree: true });
  look();
  return () => observer.disconnect();
}

/** swagger-ui is written in English, and so are these. */
function nameOf(control: HTMLElement): string {
  const parameter = control.closest<HTMLElement>('tr[data-param-name]')?.dataset.paramName;
  if (parameter !== undefined) return parameter;
  if (control.matches('.examples-select-element')) return 'Example';
  if (control.closest('.content-type-wrapper, .response-control-media-type') !== null) return 'Media type';
  return control.matches('textarea') ? 'Body' : 'Value';
}

// The panel's own parts in swagger-ui's tree: a layout without its head, an example with curl at every method, and quiet buttons.

interface PartsOptions {
  readonly texts: {
    readonly curl: string;
    readonly sent: string;
    readonly copyCurl: string;
    readonly copyCode: string;
    readonly try: string;
    readonly cancel: string;
  };
  /** The example of a method, by its operation id; null for none. */
  exampleOf(operationId: string): string | null;
  /** The same request in other languages. */
  samplesOf(operationId: string): readonly { readonly label: string; readonly source: string }[];
  /** The command that sends the same request again, without its key. */
  sentOf(url: string): string | null;
  copy(text: string): void;
}

interface ResponsesProps {
  readonly path: string;
  readonly method: string;
  readonly specSelectors: { specJson(): SwaggerMap };
}

/** Is called once, as a plugin of swagger-ui. */
function createParts({ React }: SwaggerSystem, options: PartsOptions): SwaggerPlugin {
  const { texts, exampleOf, samplesOf, sentOf, copy } = options;
  const h = React.createElement;

  function Curl({ title, line }: { readonly title: string; readonly line: string }) {
    return h('div', { className: 'panel-curl' }, h('h4', null, title), lineOf(line, texts.copyCurl));
  }

  function lineOf(line: string, copyText: string) {
    const button = h('button', { type: 'button', onClick: () => copy(line) }, copyText);
    return h('div', { className: 'panel-curl__line' }, h('pre', { tabIndex: 0 }, line), button);
  }

  function Samples({ id }: { readonly id: string }) {
    const samples = samplesOf(id).map(({ label, source }) =>
      // At most one of them is open.
      h('details', { key: label, name: `samples-${id}` }, h('summary', null, label), lineOf(source, texts.copyCode)),
    );
    return h('div', { className: 'panel-samples' }, samples);
  }

  return {
    components: {
      PanelLayout: ({ getComponent }: Pick<SwaggerSystem, 'getComponent'>) =>
        h('div', { className: 'swagger-ui' }, h(getComponent('SvgAssets')), h(getComponent('operations', true))),
      TryItOutButton: ({ enabled, onTryoutClick, onCancelClick }: Record<string, unknown>) =>
        h(
          'button',
          { type: 'button', className: 'panel-try', onClick: enabled ? onCancelClick : onTryoutClick },
          enabled ? texts.cancel : texts.try,
        ),
      // The padlock opens a dialog of swagger-ui's own; the key is at the top of the page instead.
      authorizeOperationBtn: () => null,
      curl: ({ request }: { readonly request: SwaggerMap }) => {
        const line = sentOf(String(request.get('url') ?? ''));
        return line === null ? null : h(Curl, { title: texts.sent, line });
      },
    },
    wrapComponents: {
      responses: (Original: unknown) => (props: ResponsesProps) => {
        const id = props.specSelectors.specJson().getIn(['paths', props.path, props.method, 'operationId']);
        if (typeof id !== 'string') return h(Original, props);
        const line = exampleOf(id);
        const curl = line === null ? null : h(Curl, { title: texts.curl, line });
        return h('div', null, curl, h(Samples, { id }), h(Original, props));
      },
    },
  };
}
