// Headers for single apps, by their User-Agent, because apps use the same names with different values.
import type { SubscriptionHeaders } from '../contract/subscription/headers.ts';

type Headers = Readonly<Record<string, string>>;

/** Headers for an app; undefined: not set. */
type Values = Readonly<Record<string, string | undefined>>;

/** Happ remembers a setting until it is turned off explicitly. */
const flag = (isOn: boolean) => (isOn ? '1' : '0');

/** The "advanced" settings of the vendor's documentation, which need its Provider ID. */
function providerHeaders(settings: SubscriptionHeaders): Values {
  const { happ_provider_id, happ_fragment: fragment, happ_noise: noise } = settings;
  if (happ_provider_id === null) return {};
  return {
    providerid: happ_provider_id,
    'hide-settings': flag(settings.happ_hide_settings),
    'subscription-always-hwid-enable': flag(settings.happ_always_device),
    'notification-subs-expire': flag(settings.happ_expiry_notices),
    'fragmentation-enable': flag(fragment !== null),
    'fragmentation-packets': fragment?.packets,
    'fragmentation-length': fragment?.length,
    'fragmentation-interval': fragment?.interval,
    'noises-enable': flag(noise !== null),
    'noises-type': noise?.kind,
    'noises-packet': noise?.packet,
    'noises-delay': noise?.delay,
    'noises-applyto': noise?.apply_to,
  };
}

function noticeHeaders({ announce_url, update_always }: SubscriptionHeaders): Values {
  return { 'announce-url': announce_url ?? undefined, 'update-always': update_always ? 'true' : undefined };
}

/** Sources: Happ, `HappDev/happ_su` dev-docs/app-management.md; v2RayTun, docs.v2raytun.com; INCY, docs.incy.cc; Koala Clash, `prfitem.rs`. */
const APPS: readonly (readonly [app: RegExp, build: (settings: SubscriptionHeaders) => Values])[] = [
  [/^happ\b/i, (settings) => ({ routing: settings.happ_routing ?? undefined, ...providerHeaders(settings) })],
  [/^v2raytun\b/i, (settings) => ({ routing: settings.v2raytun_routing ?? undefined, ...noticeHeaders(settings) })],
  [/^incy\b/i, ({ incy_routing }) => ({ routing: incy_routing ?? undefined })],
  [/^koala/i, noticeHeaders],
];

function dropUnset(values: Values): Headers {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

const NONE: Headers = {};
const known = new WeakMap<SubscriptionHeaders, readonly Headers[]>();

/** The headers for the app of a request. Cached by the settings object, which is replaced on every change. */
export function appHeaders(settings: SubscriptionHeaders, userAgent = ''): Headers {
  const index = APPS.findIndex(([app]) => app.test(userAgent));
  if (index < 0) return NONE;
  let built = known.get(settings);
  if (built === undefined) {
    built = APPS.map(([, build]) => dropUnset(build(settings)));
    known.set(settings, built);
  }
  return built[index] ?? NONE;
}
