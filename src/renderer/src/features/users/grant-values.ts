// The values of the grant fields, and the members of a request that they become: for one user and for many.
import type { GrantCreate, GrantLifetime } from '../../../../contract/users/grants.ts';

export interface GrantValues {
  bytes: number | null;
  lifetime: GrantLifetime;
  days: number | '';
  note: string;
}

export const NEW_GRANT: GrantValues = { bytes: null, lifetime: 'used', days: 30, note: '' };

/** An empty field is left out, so that the contract reports it as missing. */
export function grantMembers({ bytes, lifetime, days, note }: GrantValues): Partial<GrantCreate> {
  return {
    ...(bytes !== null && { bytes }),
    lifetime,
    ...(lifetime === 'days' && days !== '' && { days }),
    ...(note.trim() !== '' && { note }),
  };
}
