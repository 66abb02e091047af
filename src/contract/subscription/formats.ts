// The formats of a subscription link.
export const CONFIGURATION_FORMATS = ['links', 'plain', 'mihomo', 'clash', 'sing-box', 'xray', 'wireguard'] as const;
export type ConfigurationFormat = (typeof CONFIGURATION_FORMATS)[number];

/** With the page for browsers. */
export const FORMATS = [...CONFIGURATION_FORMATS, 'html'] as const;
export type Format = (typeof FORMATS)[number];
