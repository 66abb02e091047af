// Certificates as the administrator sees and changes them; the host checks, stores and serves them.

import type { Input, Output } from '../../contract/table.ts';
import { type Say, tellAdmins } from '../bot/admin-notices.ts';
import type { Result } from '../call.ts';
import type { AsyncContext, Context, Env, Handlers } from '../context.ts';
import { PanelError } from '../panel-error.ts';
import type { Certificates, CertificateTarget } from '../ports/host.ts';
import { toInstant } from '../wire.ts';
import { endAcmeFor } from './acme.ts';

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

/** Commits the audit row. The swap itself comes after that: it is no row. */
async function note(
  context: AsyncContext<'importCertificate' | 'renewCertificate'>,
  detail: { readonly target: CertificateTarget; readonly act: 'import' | 'renew' },
): Promise<void> {
  requireCertificates(context.env);
  await context.transaction((tx) => {
    tx.audit('certificate', detail);
  });
}

/** Tells the administrator of an imported certificate that ends soon or has ended, once. Others are renewed by the panel. */
export async function tellOfEnds(env: Env): Promise<void> {
  const { store, queue, clock } = env;
  const ends = (env.host()?.certificates?.served() ?? []).flatMap(({ source, warning, not_after }) =>
    source === 'imported' && (warning === 'ends_soon' || warning === 'ended') ? [Date.parse(not_after)] : [],
  );
  if (ends.length === 0 || store.diskSpace.isFull() || store.bot.admins().length === 0) return;
  await queue.run(() =>
    store.write(() => {
      const context = { store, settings: env.settings(), now: clock.now() };
      for (const end of ends) {
        const say: Say = ({ t, when }) => t('admin.notice.certificateEnding', { when: when(end) });
        tellAdmins(context, { kind: 'certificate', key: `ending:${end}`, say });
      }
    }),
  );
  env.announce();
}

export const CERTIFICATE_HANDLERS = {
  getCertificates: { read: getCertificates },
  importCertificate: {
    async run(input, context) {
      const { target, certificate, private_key: privateKey } = input;
      await note(context, { target, act: 'import' });
      const outcome = await requireCertificates(context.env).import(target, certificate, privateKey);
      if ('target' in outcome) {
        await endAcmeFor(target, context);
        return { body: outcome };
      }
      const errors = outcome.map(({ member, code, message }) => ({ pointer: `#/${member}`, code, message }));
      throw new PanelError('validation', errors);
    },
  },
  renewCertificate: {
    async run(input, context) {
      const { target } = input;
      await note(context, { target, act: 'renew' });
      await endAcmeFor(target, context);
      return { body: await requireCertificates(context.env).renew(target) };
    },
  },
} satisfies Handlers<'getCertificates' | 'importCertificate' | 'renewCertificate'>;
