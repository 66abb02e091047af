// Certificates as the administrator sees and changes them; the host checks, keeps and serves them.
import type { Input, Output } from '../../contract/table.ts';
import { forgiveAttempts, proveAnew, refuse } from '../access/attempts.ts';
import { acceptCode } from '../access/second-factor.ts';
import type { Call, Reply, Scope } from '../context.ts';
import type { Env } from '../env.ts';
import type { Handlers, Refusal } from '../handler.ts';
import { PanelError } from '../panel-error.ts';
import type { AdministratorRow } from '../ports/administrator.ts';
import type { Certificates } from '../ports/host.ts';
import { toInstant } from '../wire.ts';

interface Prepared {
  readonly proved: AdministratorRow | null;
}

function certificatesOf(env: Env): Certificates {
  const certificates = env.host()?.certificates;
  if (!certificates) throw new PanelError('unavailable');
  return certificates;
}

function getCertificates(env: Env): Reply {
  const certificates = certificatesOf(env);
  const { fingerprint, endsAt, pem } = certificates.authority();
  const body: Output<'getCertificates'> = {
    served: [...certificates.served()],
    authority: { fingerprint, not_after: toInstant(endsAt), pem },
  };
  return { status: 200, body };
}

async function prepareSwap(
  input: { password: string; code?: string | undefined },
  call: Call,
  env: Env,
): Promise<Prepared> {
  certificatesOf(env);
  return { proved: await proveAnew(input, call, env) };
}

function judge(scope: Scope, code: string | undefined, { proved }: Prepared): Refusal | null {
  if (!proved || !acceptCode(scope, code)) return refuse(scope);
  forgiveAttempts(scope);
  return null;
}

/** The handlers. The swap itself comes after the proof is committed: it is no row, and what is refused changes nothing. */
export function certificateHandlers(env: Env) {
  async function importIt({ target, certificate, private_key }: Input<'importCertificate'>): Promise<Reply> {
    const outcome = await certificatesOf(env).import(target, certificate, private_key);
    if ('target' in outcome) return { status: 200, body: outcome };
    const errors = outcome.map(({ member, code, message }) => ({ pointer: `#/${member}`, code, message }));
    throw new PanelError('validation', errors);
  }

  return {
    getCertificates: { read: () => getCertificates(env) },
    importCertificate: {
      prepare: prepareSwap,
      write(input, scope, prepared: Prepared) {
        const refused = judge(scope, input.code, prepared);
        if (!refused) scope.audit('certificate', { target: input.target, act: 'import' });
        return refused ?? { status: 200 };
      },
      reply: importIt,
    },
    renewCertificate: {
      prepare: prepareSwap,
      write(input, scope, prepared: Prepared) {
        const refused = judge(scope, input.code, prepared);
        if (!refused) scope.audit('certificate', { target: input.target, act: 'renew' });
        return refused ?? { status: 200 };
      },
      reply: async ({ target }) => ({ status: 200, body: await certificatesOf(env).renew(target) }),
    },
  } satisfies Handlers<'getCertificates' | 'importCertificate' | 'renewCertificate'>;
}
