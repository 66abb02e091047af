// Draws swagger-ui into a node and takes it out again: the description to be read, in its own looks. It never fetches: the description is
// given to it, and requests are tried on the panel's own page. It brings a React of its own and no way out, so its root is made to draw
// nothing before it is let go.
import SwaggerUI, { type SwaggerPlugin, type SwaggerSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/** `spec`: the OpenAPI document. It is changed by swagger-ui: give it a copy. Returns what takes it out again. */
export function mountSwagger(node: HTMLElement, spec: object): () => void {
  let leave = () => {};
  const system = SwaggerUI({
    domNode: node,
    spec,
    layout: 'PlainLayout',
    plugins: [
      ({ React }) => ({
        components: {
          PlainLayout: ({ getComponent }: Pick<SwaggerSystem, 'getComponent'>) =>
            React.createElement(
              'div',
              { className: 'swagger-ui' },
              React.createElement(getComponent('SvgAssets')),
              React.createElement(getComponent('operations', true)),
            ),
          // The padlock opens a dialog of swagger-ui's own, and nothing is sent from here.
          authorizeOperationBtn: () => null,
        },
      }),
      () =>
        rootPlugin((off) => {
          leave = off;
        }),
    ],
    supportedSubmitMethods: [],
    validatorUrl: null,
    deepLinking: false,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    filter: false,
    syntaxHighlight: false,
  });
  const stopNaming = nameControls(node);
  return () => {
    stopNaming();
    leave();
    forget(system.fn);
  };
}

/** Wraps the whole tree in a switch. */
function rootPlugin(onReady: (off: () => void) => void): SwaggerPlugin {
  return {
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
  const checkMounted = () => {
    for (const control of node.querySelectorAll<HTMLElement>(UNNAMED)) {
      control.setAttribute('aria-label', findLabel(control));
    }
    // Each table of answers would be a landmark, all of one name.
    for (const table of node.querySelectorAll('table[role=region]')) table.removeAttribute('role');
    // A keyboard must be able to scroll what is higher than its box.
    for (const text of node.querySelectorAll('pre:not([tabindex])')) text.setAttribute('tabindex', '0');
  };
  const observer = new MutationObserver(checkMounted);
  observer.observe(node, { childList: true, subtree: true });
  checkMounted();
  return () => observer.disconnect();
}

/** swagger-ui is written in English, and so are these. */
function findLabel(control: HTMLElement): string {
  const parameter = control.closest<HTMLElement>('tr[data-param-name]')?.dataset.paramName;
  if (parameter !== undefined) return parameter;
  if (control.matches('.examples-select-element')) return 'Example';
  return control.closest('.content-type-wrapper, .response-control-media-type') === null ? 'Value' : 'Media type';
}
