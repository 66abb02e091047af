// The whole rule of imports (docs/architecture.md), kept by `npm run check`. Each layer names what it MAY import; all else is an error.
//
// i18n <- contract <- domain <- core <- door <- http <- panel <- cli, main
// store, adapters, engines, payments, subscription implement core/ports/; only panel/ and agent/ wire them. agent knows ports, and neither core, store,
// http nor panel but for AGENT_EXCEPTIONS. renderer knows i18n, contract, domain, subscription and bridge; preload knows bridge.

const SOURCE = '^src/';
const TESTS = '\\.test\\.tsx?$';

/** A path pattern for npm packages, with the @types/ folder that describes them. */
const npm = (...names) => `node_modules/(@types/)?(${names.join('|')})/`;
const layers = (...names) => `^src/(${names.join('|')})/`;
const pages = (...names) => `^src/renderer/src/(${names.join('|')})/`;

/** Files of a layer may import these path patterns and nothing else (`builtins`: also node:*; `not`: but for these files). */
function mayImport(layer, allowed, { builtins = false, comment = '', not = [] } = {}) {
  return {
    name: `${layer}-imports`,
    severity: 'error',
    comment: comment || `src/${layer} imports outside its layer`,
    from: { path: layers(layer), pathNot: [TESTS, ...not] },
    to: { pathNot: allowed, ...(builtins ? { dependencyTypesNot: ['core'] } : {}) },
  };
}

/** Files of a layer may import these only as types. */
function onlyTypes(layer, path, pathNot) {
  return {
    name: `${layer}-types-only`,
    severity: 'error',
    comment: `src/${layer} may know these only by \`import type\``,
    from: { path: layers(layer), pathNot: TESTS },
    to: { path, ...(pathNot ? { pathNot } : {}), dependencyTypesNot: ['type-only'] },
  };
}

/** What each host shows and needs of its machine before it composes anything. */
const OF_HOSTS =
  '^src/adapters/(refusal|start-obstacle|vault/keychain-process|data-folder|installation|clock|log|releases/problem-sentences|system-service)\\.ts$';
const PORTS = '^src/core/(ports/[a-z-]+|kernel/(panel-error|sort-key))\\.ts$';
const AGENT_IMPORTS = [layers('contract', 'domain', 'engines', 'adapters', 'subscription', 'agent'), PORTS, npm('zod')];
/** Files of the agent with what each may import besides, as it does on a machine what the panel does itself. */
const AGENT_EXCEPTIONS = {
  '^src/agent/links\\.ts$': '^src/(door/(door|subscription)|http/(app|server)|core/kernel/core)\\.ts$',
  '^src/agent/links-acme\\.ts$': '^src/core/settings/acme-orders\\.ts$',
  '^src/agent/server\\.ts$': '^src/http/connections\\.ts$',
  '^src/agent/store/': '^src/store/database\\.ts$',
};
/** The nouns of core in the one order in which they may import each other. What composes them stands beside their folders. */
const CORE_NOUNS = [
  'ports',
  'kernel',
  'notify',
  'proof',
  'access',
  'inbounds',
  'offers',
  'tariffs',
  'users',
  'audit',
  'backups',
  'sales',
  'payments',
  'bot',
  'nodes',
  'settings',
  'updates',
  'setup',
  'subscription',
  'webhooks',
  'inbound-groups',
  'imports',
  'stats',
];
const inside = ['i18n', 'contract', 'domain', 'core'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    mayImport('i18n', [layers('i18n'), npm('i18next')]),
    mayImport('contract', [layers('i18n', 'contract'), npm('zod', 'zod-openapi')]),
    {
      name: 'only-openapi-makes-openapi',
      severity: 'error',
      comment: 'zod-openapi stays in contract/openapi/openapi.ts, so that the pages do not carry it',
      from: { path: SOURCE, pathNot: ['^src/contract/openapi/', TESTS] },
      to: { path: npm('zod-openapi') },
    },
    mayImport('domain', [layers('i18n', 'contract', 'domain')]),
    // The table of currencies is data for both: what can be requested, and how amounts are computed.
    onlyTypes('domain', layers('i18n', 'contract'), '^src/contract/currencies\\.ts$'),
    mayImport('core', [layers(...inside)]),
    mayImport('subscription', [layers(...inside, 'subscription'), npm('qr', 'yaml')]),
    onlyTypes('subscription', layers('core'), PORTS),
    mayImport('store', [layers(...inside, 'store'), npm('better-sqlite3', 'zod')], { builtins: true }),
    onlyTypes('store', layers('core'), PORTS),
    mayImport(
      'adapters',
      [
        layers(...inside, 'adapters'),
        npm(
          'keytar',
          '@napi-rs/keyring',
          'p-limit',
          'pino',
          '@noble/post-quantum',
          'otpauth',
          '@peculiar/x509',
          'acme-client',
          'reflect-metadata',
          'better-sqlite3',
          'tar',
          'socks-proxy-agent',
          'aws4fetch',
          'ssh2',
          'yauzl',
          'zod',
        ),
      ],
      { builtins: true },
    ),
    onlyTypes('adapters', layers('core'), PORTS),
    mayImport(
      'engines',
      [
        layers('contract', 'domain', 'engines'),
        PORTS,
        '^src/i18n/languages\\.ts$',
        npm('@grpc/grpc-js', 'protobufjs', 'long', 'zod'),
      ],
      { builtins: true },
    ),
    mayImport('agent', AGENT_IMPORTS, { builtins: true, not: Object.keys(AGENT_EXCEPTIONS) }),
    ...Object.entries(AGENT_EXCEPTIONS).map(([from, more]) => ({
      name: 'agent-exceptions',
      severity: 'error',
      comment: 'what the machine of a node shares with the panel, file by file (docs/architecture.md)',
      from: { path: from, pathNot: TESTS },
      to: { pathNot: [...AGENT_IMPORTS, more], dependencyTypesNot: ['core'] },
    })),
    mayImport('payments', [layers(...inside, 'payments')], { builtins: true }),
    onlyTypes('payments', layers('core'), PORTS),
    mayImport('door', [layers(...inside, 'subscription', 'door'), npm('prom-client')], { builtins: true }),
    onlyTypes('door', layers('subscription')),
    {
      name: 'door-without-transport',
      severity: 'error',
      comment: "a door is a function over data: what carries its calls is the adapters' business",
      from: { path: layers('door'), pathNot: TESTS },
      to: { path: '^(node:)?(http|https|http2|tls|fs|fs/promises|worker_threads)$' },
    },
    {
      name: 'bot-library-for-the-web',
      severity: 'error',
      comment: "grammY's build for Node brings node-fetch, which is not installed: import grammy/web",
      from: { path: SOURCE },
      to: { path: 'node_modules/grammy/out/mod\\.(d\\.ts|js)$' },
    },
    mayImport('bot', [layers(...inside, 'subscription', 'bot'), npm('grammy', '@grammyjs/types', 'qr')], {
      builtins: true,
    }),
    mayImport('http', [layers(...inside, 'door', 'http'), npm('express', 'express-serve-static-core')], {
      builtins: true,
    }),
    {
      name: 'panel-imports',
      severity: 'error',
      comment:
        'this composition root wires every layer, but knows neither its hosts, nor the other root (agent), nor the pages',
      from: { path: layers('panel'), pathNot: TESTS },
      // Except for the engines that are installed in a folder and exchanged, which both have.
      to: {
        pathNot: '^src/agent/(programs|switch-engine)\\.ts$',
        path: layers('agent', 'cli', 'main', 'preload', 'bridge', 'renderer'),
      },
    },
    mayImport(
      'cli',
      [
        layers('i18n', 'contract', 'domain', 'core', 'agent', 'panel', 'cli'),
        OF_HOSTS,
        '^src/demo/index\\.ts$',
        npm('commander'),
      ],
      {
        builtins: true,
      },
    ),
    {
      name: 'demo-has-one-entry',
      severity: 'error',
      comment: 'only the command line loads the demonstration, by its entry',
      from: { path: SOURCE, pathNot: [layers('demo'), TESTS, '^src/cli/', '^src/panel/config\\.ts$'] },
      to: { path: layers('demo') },
    },
    ...CORE_NOUNS.map((noun, index) => ({
      name: `core-${noun}-imports`,
      severity: 'error',
      comment: 'within core a noun imports only nouns above it in CORE_NOUNS, so that none needs another that needs it',
      from: { path: `^src/core/${noun}/`, pathNot: TESTS },
      to: { path: '^src/core/', pathNot: [noun, ...CORE_NOUNS.slice(0, index)].map((each) => `^src/core/${each}/`) },
    })),
    {
      name: 'sales-know-no-messages',
      severity: 'error',
      comment: 'what sells publishes what happened (tx.publish); core/notify/sale-reactions.ts has who is notified',
      from: { path: '^src/core/(payments|sales)/', pathNot: TESTS },
      to: { path: '^src/core/notify/.*(notices|reactions)' },
    },
    mayImport(
      'main',
      [
        layers('i18n', 'contract', 'domain', 'core', 'door', 'panel', 'bridge', 'main'),
        OF_HOSTS,
        // Of http only what works without it: the built pages.
        '^src/http/pages\\.ts$',
        // The command line is shipped in the application, which runs it where it is asked to.
        '^src/cli/index\\.ts$',
        npm('electron', 'electron-updater'),
      ],
      {
        builtins: true,
      },
    ),
    mayImport('bridge', [layers('i18n', 'contract', 'bridge')]),
    mayImport('preload', [layers('bridge', 'preload'), npm('electron')]),
    {
      name: 'renderer-layers',
      severity: 'error',
      comment:
        'the pages know the contract, the pure rules (domain, subscription) and the bridge, never core, store or http',
      from: { path: layers('renderer') },
      to: {
        path: SOURCE,
        pathNot: [layers('i18n', 'contract', 'domain', 'subscription', 'bridge', 'renderer'), '^src/web\\.d\\.ts$'],
      },
    },
    // Inside the renderer: state, theme, router, i18n, format <- data <- components <- features <- frame <- root.tsx, app.tsx, main.tsx.
    {
      name: 'renderer-base',
      severity: 'error',
      comment: 'state, theme, router, i18n and format know nothing that asks the panel or draws',
      from: { path: pages('state', 'theme', 'router', 'i18n', 'format') },
      to: { path: '^src/renderer/', pathNot: pages('state', 'theme', 'router', 'i18n', 'format') },
    },
    {
      name: 'renderer-bridge',
      severity: 'error',
      comment: 'transports and hosts are chosen in main.tsx and reach everything else through contexts',
      from: { path: '^src/renderer/', pathNot: [pages('bridge'), '^src/renderer/src/main\\.tsx$'] },
      to: { path: pages('bridge') },
    },
    {
      name: 'renderer-data',
      severity: 'error',
      comment: 'data knows no components',
      from: { path: pages('data') },
      to: { path: '^src/renderer/', pathNot: pages('data', 'state', 'theme', 'router', 'i18n', 'format') },
    },
    {
      name: 'renderer-components',
      severity: 'error',
      comment: 'components know no features and no frame',
      from: { path: pages('components') },
      to: {
        path: '^src/renderer/',
        pathNot: pages('components', 'data', 'state', 'theme', 'router', 'i18n', 'format'),
      },
    },
    {
      name: 'renderer-features',
      severity: 'error',
      comment: 'a feature knows no other feature and not the frame; what features share is in components or data',
      from: { path: '^src/renderer/src/features/([^/]+)/' },
      to: {
        path: '^src/renderer/',
        pathNot: [
          '^src/renderer/src/features/$1/',
          pages('components', 'data', 'state', 'theme', 'router', 'i18n', 'format'),
        ],
      },
    },
    {
      name: 'renderer-gallery',
      severity: 'error',
      comment: 'the gallery is never shipped, so nothing imports it',
      from: { path: '^src/', pathNot: pages('gallery') },
      to: { path: pages('gallery') },
    },
    {
      name: 'renderer-is-a-browser',
      severity: 'error',
      from: { path: layers('renderer') },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'renderer-packages',
      severity: 'error',
      from: { path: layers('renderer') },
      to: {
        path: npm(
          'electron',
          'electron-updater',
          'express',
          'better-sqlite3',
          'pino',
          'prom-client',
          'keytar',
          'commander',
          '@peculiar/x509',
        ),
      },
    },
    {
      name: 'only-the-shell-knows-electron',
      severity: 'error',
      comment: 'headless and command line must run where Electron is not installed',
      from: { path: SOURCE, pathNot: layers('main', 'preload') },
      to: { path: npm('electron', 'electron-updater') },
    },
    {
      name: 'sources-know-no-tests',
      severity: 'error',
      from: { path: '^(src|bin)/', pathNot: TESTS },
      to: { path: [TESTS, '^tests/', '^scripts/'] },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'a file that imports nothing and that nothing imports is dead',
      from: {
        path: SOURCE,
        orphan: true,
        pathNot: [
          '\\.d\\.ts$',
          TESTS,
          '^src/(cli|main|preload)/index\\.ts$',
          '^src/(panel|adapters)/.*-worker\\.ts$',
          '^src/renderer/src/main\\.tsx$',
          '^src/renderer/src/gallery/main\\.tsx$',
          '^src/renderer/public/',
        ],
      },
      to: {},
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-packages-only',
      severity: 'error',
      comment: 'a package that package.json does not name comes and goes with others',
      from: { path: SOURCE },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      comment:
        'the pages are bundled with what they use, so that nothing of it is installed or packed; of @noble/post-quantum main is, which uses little of it',
      from: { path: SOURCE, pathNot: [TESTS, '^src/renderer/', '^src/web\\.d\\.ts$'] },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: npm('electron', '@noble/post-quantum'),
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    combinedDependencies: false,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
    skipAnalysisNotInRules: true,
  },
};
