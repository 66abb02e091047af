// The users that something is for, such as a host or a template: by their plan and tags.

export interface Audience {
  readonly tariffs: readonly number[];
  readonly tags: readonly string[];
}

/** What decides whether a user belongs to an audience. */
export interface AudienceUser {
  readonly tariffId: number | null;
  readonly tags: readonly string[];
}

/** Whether the user has one of the plans or of the tags. */
export function isInAudience({ tariffs, tags }: Audience, user: AudienceUser): boolean {
  const isOfTariff = user.tariffId !== null && tariffs.includes(user.tariffId);
  return isOfTariff || tags.some((tag) => user.tags.includes(tag));
}
