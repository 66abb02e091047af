// Failures of backup places as PanelError.
import type { PlaceErrorCode } from '../../contract/errors.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';

const MAX_DETAIL = 200;

/** PanelError `place_failed`. `detail`: the message of the other end or of the system; it is not trusted text. */
export function createPlaceFailure(code: PlaceErrorCode, detail: string): PanelError {
  const message = detail.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, MAX_DETAIL);
  return new PanelError('place_failed', [{ pointer: '#/place', code, message }]);
}

const BY_SYSTEM: Readonly<Record<string, PlaceErrorCode>> = {
  host_unknown: 'host_unknown',
  address_refused: 'address_refused',
  ENOTFOUND: 'host_unknown',
  EAI_AGAIN: 'host_unknown',
  ENOENT: 'place_not_found',
  ENOTDIR: 'place_not_found',
  EACCES: 'keys_refused',
  EPERM: 'keys_refused',
  ENOSPC: 'place_full',
  EDQUOT: 'place_full',
};

/** Turns an error of the system or of a connection into a place's failure; a PanelError stays as it is. */
export function toPlaceFailure(error: unknown): PanelError {
  if (error instanceof PanelError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isTls = /CERT|TLS|SSL|SIGN|ISSUER|SELF_SIGNED/.test(code);
  const text = error instanceof Error ? error.message : String(error);
  return createPlaceFailure(BY_SYSTEM[code] ?? (isTls ? 'certificate' : 'connection'), text || code);
}

/** Runs `work` and turns its errors into failures of the place. */
export async function attemptAtPlace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toPlaceFailure(error);
  }
}
