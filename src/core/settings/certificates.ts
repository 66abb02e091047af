// Certificates: administration; the host validates, stores and serves them.

import type { Input, Output } from '../../contract/table.ts';
import type { AsyncContext, Context, Env, Handlers } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { notifyAdmins, type Render } from '../notify/admin-notices.ts';
import type { Result } from '../ports/call.ts';
import type { CertificateTarget } from '../ports/host.ts';
import { endAcmeFor } from './acme.ts';
import { requireCertificates, viewAuthority } from './authority.ts';

type CertificateEnv = Pick<Env, 'announce' | 'clock' | 'host' | 'queue' | 'settings' | 'store'>;

function getCertificates(
  _input: Input<'getCertificates'>,
  { env, settings, now }: Context,
): Result<Output<'getCertificates'>> {
  const host = env.host();
  if (host !== null && !host.certificates) return { body: { mode: 'proxy', served: [], authority: null } };
  const certificates = requireCertificates(env);
  return {
    body: {
      mode: 'tls',
      served: [...certificates.served()],
      authority: viewAuthority(certificates.authority(), settings, now),
    },
  };
}

/** Commits the audit row before the files are swapped, which is outside the transaction. */
async function auditCertificate(
  context: AsyncContext<'importCertificate' | 'renewCertificate'>,
  detail: { readonly target: CertificateTarget; readonly act: 'import' | 'renew' },
): Promise<void> {
  requireCertificates(context.env);
  await context.transaction((tx) => {
    tx.audit('certificate', detail);
  });
}

/**
 * Notifies the administrator once of an imported certificate, or a signing authority, that expires soon or has expired: the panel does not replace
 * them automatically.
 */
export async function notifyOfEnds(env: CertificateEnv): Promise<void> {
  const { store, queue, clock } = env;
  const certificates = env.host()?.certificates;
  if (!certificates || store.diskSpace.isFull() || store.bot.admins().length === 0) return;
  const served = certificates.served();
  const ends = served.flatMap(({ source, warning, not_after }) =>
    source === 'imported' && (warning === 'ends_soon' || warning === 'ended') ? [Date.parse(not_after)] : [],
  );
  const authority = viewAuthority(certificates.authority(), env.settings(), clock.now());
  const isAuthorityEnding =
    served.some(({ source }) => source === 'local') && ['ends_soon', 'ended'].includes(authority.warning ?? '');
  if (ends.length === 0 && !isAuthorityEnding) return;
  await queue.run(() =>
    store.write(() => {
      const context = { store, settings: env.settings(), now: clock.now() };
      for (const end of ends) {
        const render: Render = ({ t, when }) => t('admin.notice.certificateEnding', { when: when(end) });
        notifyAdmins(context, { kind: 'certificate', key: `ending:${end}`, render });
      }
      if (!isAuthorityEnding) return;
      const end = Date.parse(authority.not_after);
      const render: Render = ({ t, when }) => t('admin.notice.authorityEnding', { when: when(end) });
      notifyAdmins(context, { kind: 'certificate', key: `authority-ending:${end}`, render });
    }),
  );
  env.announce();
}

export const CERTIFICATE_HANDLERS = {
  getCertificates: { read: getCertificates },
  importCertificate: {
    async run(input, context) {
      const { target, certificate, private_key: privateKey } = input;
      await auditCertificate(context, { target, act: 'import' });
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
      await auditCertificate(context, { target, act: 'renew' });
      await endAcmeFor(target, context);
      return { body: await requireCertificates(context.env).renew(target) };
    },
  },
} satisfies Handlers<'getCertificates' | 'importCertificate' | 'renewCertificate'>;
