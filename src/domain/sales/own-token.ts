// By which a payment at a provider is recognized as one of a panel's: other programs may use the same account.

export const OWN_TOKEN_PREFIX = 'gh_';

export function isOwnToken(token: string | null): boolean {
  return token?.startsWith(OWN_TOKEN_PREFIX) ?? false;
}
