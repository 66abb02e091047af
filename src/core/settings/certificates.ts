// Certificates as the administrator sees and changes them; the host checks, stores and serves them.

import type { Input, Output } from '../../contract/table.ts';
import { acceptCode, clearAttempts, type Proof, reauthenticate, refuseProof } from '../access/proof.ts';
import type { Result } from '../call.ts';
import type { AsyncContext, Context, Env, Handlers } from '../context.ts';
import { PanelError } from '../panel-error.ts';
import type { Certificates, CertificateTarget } from '../ports/host.ts';
import { toInstant } from '../wire.ts';

function requireCertificates(env: Env): Certificates {
  const certificates = env.host()?.certificates;
  if (!certificates) throw new PanelError('unavailable');
  return certificates;
}

function getCertificates(_input: Input<'getCertificates'>, { env }: Context): Result<Output<'getCertificates'>> {
  const certificates = requireCertificates(env);
  const { fingerprint, endsAt, pem } = certificates.authority();
  return {
    body: {
      served: [...certificates.served()],
      authority: { fingerprint, not_after: toInstant(endsAt), pem },
    },
  };
}

/** Commits the proof and the audit row. The swap itself comes after that: it is no row, and a refusal changes nothing. */
async function prove(
  context: AsyncContext<'importCertificate' | 'renewCertificate'>,
  input: Proof,
  detail: { readonly target: CertificateTarget; readonly act: 'import' | 'renew' },
): Promise<void> {
  requireCertificates(context.env);
  const administrator = await reauthenticate(context, input);
  await context.transaction((tx) => {
    if (!administrator || !acceptCode(tx, input.code)) return refuseProof(tx);
    clearAttempts(tx);
    tx.audit('certificate', detail);
    return undefined;
  });
}

export const CERTIFICATE_HANDLERS = {
  getCertificates: { read: getCertificates },
  importCertificate: {
    async run(input, context) {
      const { target, certificate, private_key: privateKey } = input;
      await prove(context, input, { target, act: 'import' });
      const outcome = await requireCertificates(context.env).import(target, certificate, privateKey);
      if ('target' in outcome) return { body: outcome };
      const errors = outcome.map(({ member, code, message }) => ({ pointer: `#/${member}`, code, message }));
      throw new PanelError('validation', errors);
    },
  },
  renewCertificate: {
    async run(input, context) {
      const { target } = input;
      await prove(context, input, { target, act: 'renew' });
      return { body: await requireCertificates(context.env).renew(target) };
    },
  },
} satisfies Handlers<'getCertificates' | 'importCertificate' | 'renewCertificate'>;
