// The nonce that whoever served this page gave to styles made at run time.

export function styleNonce(): string {
  return document.getElementById('style-nonce')?.nonce ?? '';
}
