// Warnings about a connection's form, with their remedies, by the rules of the panel.
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import {
  ENGINE_WARNINGS,
  type Inbound,
  type InboundWarning,
  TARGET_FINDINGS,
  type TargetFinding,
} from '../../../../contract/inbounds.ts';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { inboundWarnings } from '../../../../domain/nodes/inbound-warnings.ts';
import { useNow } from '../../format/use-now.ts';
import classes from './connections.module.css';
import { buildHosts } from './host-values.ts';
import { buildChanges, pickServedShape, type Values } from './values.ts';

/** Warnings that the panel would give for the form. Those of a target's test are included while the target is the tested one. */
export function listWarnings(
  values: Values,
  node: Pick<Node, 'address' | 'core'> | undefined,
  saved: Inbound | null,
  now: number,
): readonly InboundWarning[] {
  const { host, sni = null, target = null, ...rest } = buildChanges(values);
  const wasAsked = saved?.security === values.security && saved.sni === sni && saved.target === target;
  const facts = {
    ...pickServedShape(values),
    address: host ?? node?.address ?? '',
    sni,
    target,
    minClientVersion: rest.min_client_version ?? null,
    addressPool: rest.address_pool ?? null,
    lastUserId: estimateLastUserId(rest.address_pool ?? null, saved),
    certificate: findCertificate(rest.certificate ?? null, saved),
    hosts: buildHosts(values, values.hosts),
    targetFindings: wasAsked ? (saved.warnings ?? []).filter(isFinding) : [],
  };
  return [...engineWarnings(values, saved), ...inboundWarnings(facts, node?.core ?? null, now)];
}

/** Warnings of the engine about the saved connection, if its port is unchanged. */
function engineWarnings({ port }: Values, saved: Inbound | null): readonly InboundWarning[] {
  const warnings = ENGINE_WARNINGS.filter((warning) => saved?.warnings?.includes(warning));
  return Number(port) === saved?.port ? warnings : warnings.filter((warning) => warning !== 'port_taken');
}

function isFinding(warning: InboundWarning): warning is TargetFinding {
  return TARGET_FINDINGS.some((finding) => finding === warning);
}

/** Only the panel knows whether a pool is too small, so its result is used while the pool is unchanged. */
function estimateLastUserId(addressPool: string | null, saved: Inbound | null): number {
  const isSmall = saved?.address_pool === addressPool && (saved?.warnings ?? []).includes('address_pool_small');
  return isSmall ? Number.POSITIVE_INFINITY : 0;
}

/** The certificate to check: the served one. A new one of the panel is valid, and a pasted one is unknown before it is saved. */
function findCertificate(own: string | null, saved: Inbound | null) {
  const endsAt = saved?.certificate_ends_at ?? null;
  const isServed = endsAt !== null && saved?.certificate === own;
  if (isServed) return { endsAt: Date.parse(endsAt), isSelfSigned: saved.certificate_self_signed === true };
  return own === null ? { endsAt: Number.POSITIVE_INFINITY, isSelfSigned: true } : null;
}

interface ConnectionWarningsProps {
  readonly values: Values;
  readonly nodes: readonly Node[];
  /** null: a new connection. */
  readonly saved: Inbound | null;
}

export function ConnectionWarnings({ values, nodes, saved }: ConnectionWarningsProps) {
  const { t } = useTranslation('connections');
  const now = useNow();
  const node = nodes.find(({ id }) => String(id) === values.node_id);
  const warnings = listWarnings(values, node, saved, now);
  if (warnings.length === 0) return null;
  return (
    <section className={classes.warnings} aria-label={t('warnings.label')}>
      <IconAlertTriangle size={16} stroke={1.5} aria-hidden />
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>
            <p className={classes.warningTitle}>{t(`warnings.${warning}`)}</p>
            <p>{t(`mend.${warning}`)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
