// "Needs attention": each problem with the way to solve it. Not shown where there are none.
import { Button } from '@mantine/core';
import {
  IconArchive,
  IconCalendarTime,
  IconCertificate,
  IconDownload,
  IconGauge,
  IconServerOff,
  IconShieldExclamation,
  IconStack2,
  type TablerIcon,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Attention } from '../../../../domain/sales/attention.ts';
import { SectionCard } from '../../components/page.tsx';
import type { Tone } from '../../components/state.tsx';
import { useAct } from '../../data/use-act.ts';
import { useFormat } from '../../format/use-format.tsx';
import { hashOf } from '../../router/route.ts';
import { expiringSoon } from './expiring-soon.ts';
import classes from './overview.module.css';

interface AttentionText {
  readonly id: string;
  readonly icon: TablerIcon;
  readonly tone: Tone;
  readonly title: string;
  readonly hint: string;
  readonly action: string;
  readonly href?: string;
  readonly onAct?: () => void;
}

export function AttentionCard({ items, now }: { readonly items: readonly Attention[]; readonly now: number }) {
  const { t } = useTranslation('overview');
  const describe = useAttentionText(now);
  if (items.length === 0) return null;
  return (
    <SectionCard title={t('attention.title')} flush>
      <ul className={classes.attention}>
        {items.map(describe).map(({ id, icon: Icon, tone, title, hint, action, href, onAct }) => (
          <li key={id} className={classes.matter}>
            <span className={classes.matterIcon} data-tone={tone} aria-hidden>
              <Icon size={18} stroke={1.5} />
            </span>
            <div className={classes.matterText}>
              <p className={classes.matterTitle}>{title}</p>
              <p className={classes.quiet}>{hint}</p>
            </div>
            {href === undefined ? (
              <Button variant="subtle" className={classes.matterAct ?? ''} onClick={onAct}>
                {action}
              </Button>
            ) : (
              <Button variant="subtle" className={classes.matterAct ?? ''} component="a" href={href}>
                {action}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </SectionCard>
  );
}

/** Each matter in words. */
function useAttentionText(now: number): (item: Attention) => AttentionText {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const backUp = useAct('createBackup', { message: () => ({ text: t('attention.backupMade') }) });
  const nodeCertificateTitle = ({ name, endsAt, isOver }: Extract<Attention, { kind: 'node-certificate' }>) => {
    if (endsAt === null) return t('attention.nodeCertificateNone', { name });
    if (isOver) return t('attention.nodeCertificateOver', { name });
    return t('attention.nodeCertificate', { name, when: format.relative(endsAt, now) });
  };
  return (item) => {
    switch (item.kind) {
      case 'no-nodes':
        return {
          id: item.kind,
          icon: IconServerOff,
          tone: 'warn',
          title: t('attention.noNodes'),
          hint: t('attention.noNodesHint'),
          action: t('attention.addNode'),
          href: hashOf(['nodes', 'new']),
        };
      case 'no-plans':
        return {
          id: item.kind,
          icon: IconStack2,
          tone: 'info',
          title: t('attention.noPlans'),
          hint: t('attention.noPlansHint'),
          action: t('attention.addPlan'),
          href: hashOf(['plans', 'new']),
        };
      case 'node-down':
        return {
          id: `node ${item.id}`,
          icon: IconServerOff,
          tone: 'bad',
          title: t('attention.nodeDown', { name: item.name }),
          hint:
            item.lastSeen === null
              ? t('attention.nodeDownNever')
              : t('attention.nodeDownHint', { when: format.relative(item.lastSeen, now) }),
          action: t('attention.openNode'),
          href: hashOf(['nodes', item.id]),
        };
      case 'node-certificate':
        return {
          id: `node-certificate ${item.id}`,
          icon: IconCertificate,
          tone: item.isOver ? 'bad' : 'warn',
          title: nodeCertificateTitle(item),
          hint: t('attention.nodeCertificateHint'),
          action: t('attention.openNode'),
          href: hashOf(['nodes', item.id]),
        };
      case 'certificate':
        return {
          id: item.kind,
          icon: IconCertificate,
          tone: item.isOver ? 'bad' : 'warn',
          title: item.isOver
            ? t('attention.certificateOver')
            : t('attention.certificate', { when: format.relative(item.endsAt, now) }),
          hint: t('attention.certificateHint'),
          action: t('attention.openCertificates'),
          href: hashOf(['settings', 'certificates']),
        };
      case 'update':
        return {
          id: item.kind,
          icon: IconDownload,
          tone: item.isTakenBack ? 'warn' : 'info',
          title: t('attention.update', { version: item.version }),
          hint: t(item.isTakenBack ? 'attention.updateTakenBack' : 'attention.updateHint'),
          action: t('attention.openUpdates'),
          href: hashOf(['settings', 'updates']),
        };
      case 'acme':
        return {
          id: item.kind,
          icon: IconCertificate,
          tone: 'warn',
          title: t(item.isFirst ? 'attention.acmeFirst' : 'attention.acme'),
          hint: t('attention.acmeHint'),
          action: t('attention.openCertificates'),
          href: hashOf(['settings', 'certificates']),
        };
      case 'backup':
        return {
          id: item.kind,
          icon: IconArchive,
          tone: 'warn',
          title:
            item.lastAt === null
              ? t('attention.backupNever')
              : t('attention.backup', { when: format.relative(item.lastAt, now) }),
          hint: t('attention.backupHint'),
          action: t('attention.makeBackup'),
          onAct: () => backUp.start({}),
        };
      case 'sign-ins':
      case 'keys':
        return {
          id: item.kind,
          icon: IconShieldExclamation,
          tone: 'warn',
          title: t(item.kind === 'keys' ? 'attention.failedKeys' : 'attention.failedSignIns', {
            count: item.count,
            networks: t('attention.networks', { count: item.networks }),
          }),
          hint: t(item.kind === 'keys' ? 'attention.failedKeysHint' : 'attention.failedSignInsHint'),
          action: t('attention.see'),
          href: hashOf(['audit'], { action: item.kind === 'keys' ? 'failedKeys' : 'failedSignIns' }),
        };
      case 'expiring':
        return {
          id: item.kind,
          icon: IconCalendarTime,
          tone: 'warn',
          title: t('attention.expiring', { count: item.count }),
          hint: t('attention.expiringHint'),
          action: t('attention.see'),
          href: expiringSoon(item.countedAt),
        };
      case 'limited':
        return {
          id: item.kind,
          icon: IconGauge,
          tone: 'warn',
          title: t('attention.limited', { count: item.count }),
          hint: t('attention.limitedHint'),
          action: t('attention.see'),
          href: hashOf(['users'], { state: 'limited' }),
        };
    }
  };
}
