// Mounts swagger-ui for reading, and unmounts it. It never sends requests: the document is passed in, and "Try it" is on the panel's own page.
// swagger-ui contains its own React and has no function to unmount, so its root component renders nothing before it is dropped.
import SwaggerUI, { type SwaggerPlugin, type SwaggerSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/** `spec` is an OpenAPI document; pass a copy, because swagger-ui changes it. Returns the function that unmounts it. */
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
          // No padlock: it opens a dialog for credentials, which are not used here.
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

/** Wraps the root component, so that it can be switched off. */
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

/** Clears swagger-ui's global caches of schema samples. Their keys are copies of the document that are not used again. */
function forget(functions: Readonly<Record<string, unknown>>): void {
  for (const one of Object.values(functions)) {
    if (typeof one === 'function' && 'cache' in one && one.cache instanceof Map) one.cache.clear();
    else if (typeof one === 'object' && one !== null) forget(one as Readonly<Record<string, unknown>>);
  }
}

// For screen readers: names controls that swagger-ui leaves without a name, and removes misleading roles.

const UNNAMED = 'select:not([aria-label]), input:not([aria-label]):not([type=checkbox]), textarea:not([aria-label])';

/** Observes the subtree of a node until the returned function is called. */
function nameControls(node: HTMLElement): () => void {
  const checkMounted = () => {
    for (const control of node.querySelectorAll<HTMLElement>(UNNAMED)) {
      control.setAttribute('aria-label', findLabel(control));
    }
    // Otherwise each table of responses is a landmark, and all have the same name.
    for (const table of node.querySelectorAll('table[role=region]')) table.removeAttribute('role');
    // High blocks must be scrollable by keyboard.
    for (const text of node.querySelectorAll('pre:not([tabindex])')) text.setAttribute('tabindex', '0');
  };
  const observer = new MutationObserver(checkMounted);
  observer.observe(node, { childList: true, subtree: true });
  checkMounted();
  return () => observer.disconnect();
}

/** The accessible name of a control. In English only, as swagger-ui is. */
function findLabel(control: HTMLElement): string {
  const parameter = control.closest<HTMLElement>('tr[data-param-name]')?.dataset.paramName;
  if (parameter !== undefined) return parameter;
  if (control.matches('.examples-select-element')) return 'Example';
  return control.closest('.content-type-wrapper, .response-control-media-type') === null ? 'Value' : 'Media type';
}
