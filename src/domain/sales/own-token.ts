// The prefix of tokens by which the panel recognizes its payments at a provider, because other programs may use the same account.

export const OWN_TOKEN_PREFIX = 'gh_';

export function isOwnToken(token: string | null): boolean {
  return token?.startsWith(OWN_TOKEN_PREFIX) ?? false;
}
