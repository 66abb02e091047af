// Converts headers for single apps to the values of their form and back. An empty field means no header; groups of fields have a switch.
import type { SubscriptionHeaders } from '../../../../../contract/subscription/headers.ts';

type Fragment = NonNullable<SubscriptionHeaders['happ_fragment']>;
type Noise = NonNullable<SubscriptionHeaders['happ_noise']>;

export interface HeaderValues extends Record<string, unknown> {
  readonly web_page_url: string;
  readonly announce_url: string;
  readonly update_always: boolean;
  readonly happ_routing: string;
  readonly v2raytun_routing: string;
  readonly incy_routing: string;
  readonly happ_provider_id: string;
  readonly happ_hide_settings: boolean;
  readonly happ_always_device: boolean;
  readonly happ_expiry_notices: boolean;
  readonly fragment: boolean;
  readonly happ_fragment: Fragment;
  readonly noise: boolean;
  readonly happ_noise: Noise;
}

/** Initial values, from the vendor's examples. */
const USUAL_FRAGMENT: Fragment = { packets: 'tlshello', length: '50-100', interval: '5' };
const USUAL_NOISE: Noise = { kind: 'rand', packet: '10-20', delay: '10-16', apply_to: 'ip' };

export function toHeaderValues(headers: SubscriptionHeaders): HeaderValues {
  return {
    ...headers,
    web_page_url: headers.web_page_url ?? '',
    announce_url: headers.announce_url ?? '',
    happ_routing: headers.happ_routing ?? '',
    v2raytun_routing: headers.v2raytun_routing ?? '',
    incy_routing: headers.incy_routing ?? '',
    happ_provider_id: headers.happ_provider_id ?? '',
    fragment: headers.happ_fragment !== null,
    happ_fragment: headers.happ_fragment ?? USUAL_FRAGMENT,
    noise: headers.happ_noise !== null,
    happ_noise: headers.happ_noise ?? USUAL_NOISE,
  };
}

const toNullable = (text: string) => (text.trim() === '' ? null : text.trim());

export function buildHeaders({ fragment, noise, ...values }: HeaderValues): SubscriptionHeaders {
  return {
    web_page_url: toNullable(values.web_page_url),
    announce_url: toNullable(values.announce_url),
    update_always: values.update_always,
    happ_routing: toNullable(values.happ_routing),
    v2raytun_routing: toNullable(values.v2raytun_routing),
    incy_routing: toNullable(values.incy_routing),
    happ_provider_id: toNullable(values.happ_provider_id),
    happ_hide_settings: values.happ_hide_settings,
    happ_always_device: values.happ_always_device,
    happ_expiry_notices: values.happ_expiry_notices,
    happ_fragment: fragment ? { ...values.happ_fragment } : null,
    happ_noise: noise ? { ...values.happ_noise } : null,
  };
}
