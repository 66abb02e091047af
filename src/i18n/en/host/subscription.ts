// What a user's client shows in place of a connection while there is none.

export const subscription = {
  expired: 'Expired on {{day}}',
  limited: 'Traffic used up',
  limitedUntil: 'Traffic used up, starts anew on {{day}}',
  disabled: 'Access is switched off',
  unsupported: 'Your connections need another app',
  noConnections: 'No connections available yet',
} as const;
