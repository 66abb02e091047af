// The panel's own parts in swagger-ui's tree: a layout without its head, an example with curl at every method, and quiet buttons.
import type { SwaggerMap, SwaggerPlugin, SwaggerSystem } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

export interface PartsOptions {
  readonly texts: {
    readonly curl: string;
    readonly sent: string;
    readonly copyCurl: string;
    readonly try: string;
    readonly cancel: string;
  };
  /** The example of a method, by its operation id; null for none. */
  exampleOf(operationId: string): string | null;
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
export function createParts({ React }: SwaggerSystem, options: PartsOptions): SwaggerPlugin {
  const { texts, exampleOf, sentOf, copy } = options;
  const h = React.createElement;

  function Curl({ title, line }: { readonly title: string; readonly line: string }) {
    return h(
      'div',
      { className: 'panel-curl' },
      h('h4', null, title),
      h(
        'div',
        { className: 'panel-curl__line' },
        h('pre', { tabIndex: 0 }, line),
        h('button', { type: 'button', onClick: () => copy(line) }, texts.copyCurl),
      ),
    );
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
      // The padlock opens a dialog of swagger-ui's own; the key stands at the top of the page instead.
      authorizeOperationBtn: () => null,
      curl: ({ request }: { readonly request: SwaggerMap }) => {
        const line = sentOf(String(request.get('url') ?? ''));
        return line === null ? null : h(Curl, { title: texts.sent, line });
      },
    },
    wrapComponents: {
      responses: (Original: unknown) => (props: ResponsesProps) => {
        const id = props.specSelectors.specJson().getIn(['paths', props.path, props.method, 'operationId']);
        const line = typeof id === 'string' ? exampleOf(id) : null;
        return h('div', null, line === null ? null : h(Curl, { title: texts.curl, line }), h(Original, props));
      },
    },
  };
}
