// The users that a host or a template applies to, by plan and tags.

export interface Audience {
  readonly tariffs: readonly number[];
  readonly tags: readonly string[];
}

/** The members of a user that decide whether it belongs to an audience. */
export interface AudienceUser {
  readonly tariffId: number | null;
  readonly tags: readonly string[];
}

/** Whether the user has one of the plans or tags. */
export function isInAudience({ tariffs, tags }: Audience, user: AudienceUser): boolean {
  const isOfTariff = user.tariffId !== null && tariffs.includes(user.tariffId);
  return isOfTariff || tags.some((tag) => user.tags.includes(tag));
}
