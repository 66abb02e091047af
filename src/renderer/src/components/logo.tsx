// The panel's mark: a gate.

export function Logo({ size = 24 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--g-accent)" />
      <path
        d="M8 24V13.5a8 8 0 0 1 16 0V24M13 24v-8.5a3 3 0 0 1 6 0V24"
        fill="none"
        stroke="#fff"
        strokeWidth="2.2"
        strokeLinecap="round"
      />
    </svg>
  );
}
