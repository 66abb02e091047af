// What of swagger-ui is used here; its bundle brings no types.
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** The parts of its React that plugins get: a copy of its own, another version than the pages'. */
  export interface SwaggerReact {
    createElement(type: unknown, props?: object | null, ...children: unknown[]): unknown;
    useState<T>(initial: T): [T, (next: T) => void];
    useEffect(effect: () => undefined | (() => void), inputs?: readonly unknown[]): void;
  }

  /** An Immutable.Map, as far as it is read. */
  export interface SwaggerMap {
    get(name: string): unknown;
    getIn(path: readonly string[]): unknown;
    set(name: string, value: unknown): SwaggerMap;
  }

  /** An Immutable collection, as far as it is filtered. */
  export interface SwaggerList<Item> {
    readonly size: number;
    map<To>(change: (item: Item, key: string) => To): SwaggerList<To>;
    filter(keep: (item: Item, key: string) => boolean): SwaggerList<Item>;
  }

  export interface SwaggerSystem {
    readonly React: SwaggerReact;
    readonly fn: Readonly<Record<string, unknown>>;
    getComponent(name: string, isContainer?: boolean): unknown;
    readonly layoutActions: { updateFilter(text: string | boolean): void };
  }

  export interface SwaggerRequest {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    userFetch?: (url: string, init: { readonly headers: Readonly<Record<string, string>> }) => Promise<Response>;
  }

  type Wrap = (original: unknown, system: SwaggerSystem) => unknown;

  export interface SwaggerPlugin {
    readonly components?: Readonly<Record<string, unknown>>;
    readonly wrapComponents?: Readonly<Record<string, Wrap>>;
    readonly fn?: Readonly<Record<string, unknown>>;
  }

  export interface SwaggerOptions {
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly layout: string;
    readonly plugins: readonly ((system: SwaggerSystem) => SwaggerPlugin)[];
    readonly supportedSubmitMethods: readonly string[];
    readonly validatorUrl: null;
    readonly deepLinking: boolean;
    readonly docExpansion: 'list' | 'none' | 'full';
    readonly defaultModelsExpandDepth: number;
    readonly displayRequestDuration: boolean;
    readonly persistAuthorization: boolean;
    readonly filter: boolean | string;
    readonly syntaxHighlight: boolean | object;
    readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
  }

  const SwaggerUI: (options: SwaggerOptions) => SwaggerSystem;

  // biome-ignore lint/style/noDefaultExport: that is what the package has.
  export { SwaggerUI as default };
}
