// Types for the parts of swagger-ui that are used; its bundle has none.
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** Parts of swagger-ui's own React, which it passes to plugins. Its version is not that of the pages. */
  export interface SwaggerReact {
    createElement(type: unknown, props?: object | null, ...children: unknown[]): unknown;
    useState<T>(initial: T): [T, (next: T) => void];
    useEffect(effect: () => undefined | (() => void), inputs?: readonly unknown[]): void;
  }

  export interface SwaggerSystem {
    readonly React: SwaggerReact;
    readonly fn: Readonly<Record<string, unknown>>;
    getComponent(name: string, isContainer?: boolean): unknown;
  }

  type Wrap = (original: unknown, system: SwaggerSystem) => unknown;

  export interface SwaggerPlugin {
    readonly components?: Readonly<Record<string, unknown>>;
    readonly wrapComponents?: Readonly<Record<string, Wrap>>;
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
    readonly filter: boolean | string;
    readonly syntaxHighlight: boolean | object;
  }

  const SwaggerUI: (options: SwaggerOptions) => SwaggerSystem;

  // biome-ignore lint/style/noDefaultExport: the package has a default export.
  export { SwaggerUI as default };
}
