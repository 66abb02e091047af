// "Needs attention": problems, each with a way to solve it. Hidden if there are none.
import { Button } from '@mantine/core';
import {
  IconArchive,
  IconCalendarTime,
  IconCertificate,
  IconClockExclamation,
  IconCloudUpload,
  IconCreditCardOff,
  IconDownload,
  IconGauge,
  IconServerOff,
  IconShieldExclamation,
  IconStack2,
  type TablerIcon,
} from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Attention } from '../../../../domain/sales/attention.ts';
import { SectionCard } from '../../components/page.tsx';
import type { Tone } from '../../components/state.tsx';
import { useAct } from '../../data/use-act.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
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

/** What the texts need. */
interface Words {
  readonly t: TFunction<'overview'>;
  readonly format: ReturnType<typeof useFormat>;
  readonly now: number;
  /** Makes a backup. */
  readonly backUp: () => void;
  readonly confirmClock: () => void;
}

type ItemOf<Kind extends Attention['kind']> = Extract<Attention, { kind: Kind }>;

/** The text of each kind of problem. */
const DESCRIBERS: { readonly [Kind in Attention['kind']]: (item: ItemOf<Kind>, words: Words) => AttentionText } = {
  clock: (item, { t, format, confirmClock }) => {
    const times = { machine: format.moment(item.machineAt, 'exact'), panel: format.moment(item.panelAt, 'exact') };
    return {
      id: item.kind,
      icon: IconClockExclamation,
      tone: 'bad',
      title: t(`attention.clock.${item.state}`, times),
      hint: t(`attention.clockHint.${item.state}`, times),
      action: t('attention.confirmClock'),
      onAct: confirmClock,
    };
  },
  'no-nodes': (item, { t }) => ({
    id: item.kind,
    icon: IconServerOff,
    tone: 'warn',
    title: t('attention.noNodes'),
    hint: t('attention.noNodesHint'),
    action: t('attention.addNode'),
    href: buildHash(['nodes', 'new']),
  }),
  'no-plans': (item, { t }) => ({
    id: item.kind,
    icon: IconStack2,
    tone: 'info',
    title: t('attention.noPlans'),
    hint: t('attention.noPlansHint'),
    action: t('attention.addPlan'),
    href: buildHash(['plans', 'new']),
  }),
  'node-down': (item, { t, format, now }) => ({
    id: `node ${item.id}`,
    icon: IconServerOff,
    tone: 'bad',
    title: t('attention.nodeDown', { name: item.name }),
    hint:
      item.lastSeen === null
        ? t('attention.nodeDownNever')
        : t('attention.nodeDownHint', { when: format.relative(item.lastSeen, now) }),
    action: t('attention.openNode'),
    href: buildHash(['nodes', item.id]),
  }),
  'node-certificate': (item, words) => ({
    id: `node-certificate ${item.id}`,
    icon: IconCertificate,
    tone: item.isOver ? 'bad' : 'warn',
    title: nameNodeCertificate(item, words),
    hint: words.t('attention.nodeCertificateHint'),
    action: words.t('attention.openNode'),
    href: buildHash(['nodes', item.id]),
  }),
  certificate: (item, { t, format, now }) => ({
    id: item.kind,
    icon: IconCertificate,
    tone: item.isOver ? 'bad' : 'warn',
    title: item.isOver
      ? t('attention.certificateOver')
      : t('attention.certificate', { when: format.relative(item.endsAt, now) }),
    hint: t('attention.certificateHint'),
    action: t('attention.openCertificates'),
    href: buildHash(['settings', 'certificates']),
  }),
  provider: (item, { t }) => ({
    id: `provider ${item.id}`,
    icon: IconCreditCardOff,
    tone: 'bad',
    title: t('attention.provider', { name: item.name }),
    hint: t('attention.providerHint'),
    action: t('attention.openProvider'),
    href: buildHash(['settings', 'payments', item.id]),
  }),
  'import-damaged': (item, { t }) => ({
    id: item.kind,
    icon: IconCertificate,
    tone: 'bad',
    title: t('attention.importDamaged'),
    hint: t('attention.importDamagedHint'),
    action: t('attention.openCertificates'),
    href: buildHash(['settings', 'certificates']),
  }),
  authority: (item, { t, format, now }) => ({
    id: `authority ${item.state}`,
    icon: IconCertificate,
    tone: item.state === 'ends_soon' ? 'warn' : 'bad',
    title: t(`attention.authority.${item.state}`, { when: format.relative(item.at, now) }),
    hint: t(`attention.authorityHint.${item.state}`),
    action: t('attention.openCertificates'),
    href: buildHash(['settings', 'certificates']),
  }),
  update: (item, { t }) => ({
    id: item.kind,
    icon: IconDownload,
    tone: item.isTakenBack ? 'warn' : 'info',
    title: t('attention.update', { version: item.version }),
    hint: t(item.isTakenBack ? 'attention.updateTakenBack' : 'attention.updateHint'),
    action: t('attention.openUpdates'),
    href: buildHash(['settings', 'updates']),
  }),
  acme: (item, { t }) => ({
    id: item.kind,
    icon: IconCertificate,
    tone: 'warn',
    title: t(item.isFirst ? 'attention.acmeFirst' : 'attention.acme'),
    hint: t('attention.acmeHint'),
    action: t('attention.openCertificates'),
    href: buildHash(['settings', 'certificates']),
  }),
  backup: (item, { t, format, now, backUp }) => ({
    id: item.kind,
    icon: IconArchive,
    tone: 'warn',
    title:
      item.lastAt === null
        ? t('attention.backupNever')
        : t('attention.backup', { when: format.relative(item.lastAt, now) }),
    hint: t('attention.backupHint'),
    action: t('attention.makeBackup'),
    onAct: backUp,
  }),
  'backup-away': (item, { t, format, now }) => ({
    id: item.kind,
    icon: IconCloudUpload,
    tone: 'warn',
    title:
      item.leftAt === null
        ? t('attention.backupAwayNever')
        : t('attention.backupAway', { when: format.relative(item.leftAt, now) }),
    hint: t('attention.backupAwayHint'),
    action: t(item.hasPlaces ? 'attention.openBackups' : 'attention.addStorage'),
    href: buildHash(item.hasPlaces ? ['settings', 'backups'] : ['settings', 'backups', 'places', 'new']),
  }),
  'backup-place': (item, { t }) => ({
    id: `backup-place ${item.id}`,
    icon: IconCloudUpload,
    tone: 'bad',
    title: t('attention.backupPlace', { name: item.name }),
    hint: t('attention.backupPlaceHint'),
    action: t('attention.openBackups'),
    href: buildHash(['settings', 'backups']),
  }),
  'sign-ins': describeFailures,
  keys: describeFailures,
  expiring: (item, { t }) => ({
    id: item.kind,
    icon: IconCalendarTime,
    tone: 'warn',
    title: t('attention.expiring', { count: item.count }),
    hint: t('attention.expiringHint'),
    action: t('attention.see'),
    href: expiringSoon(item.countedAt),
  }),
  limited: (item, { t }) => ({
    id: item.kind,
    icon: IconGauge,
    tone: 'warn',
    title: t('attention.limited', { count: item.count }),
    hint: t('attention.limitedHint'),
    action: t('attention.see'),
    href: buildHash(['users'], { state: 'limited' }),
  }),
};

function describeFailures(item: ItemOf<'sign-ins' | 'keys'>, { t }: Words): AttentionText {
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
    href: buildHash(['audit'], { action: item.kind === 'keys' ? 'failedKeys' : 'failedSignIns' }),
  };
}

function nameNodeCertificate({ name, endsAt, isOver }: ItemOf<'node-certificate'>, { t, format, now }: Words): string {
  if (endsAt === null) return t('attention.nodeCertificateNone', { name });
  if (isOver) return t('attention.nodeCertificateOver', { name });
  return t('attention.nodeCertificate', { name, when: format.relative(endsAt, now) });
}

function useAttentionText(now: number): (item: Attention) => AttentionText {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const backUp = useAct('createBackup', { message: () => ({ text: t('attention.backupMade') }) });
  const confirm = useAct('confirmClock', { message: () => ({ text: t('attention.clockConfirmed') }) });
  const words: Words = {
    t,
    format,
    now,
    backUp: () => backUp.start({}),
    confirmClock: () => confirm.start({}),
  };
  return (item) => {
    // The compiler cannot see that the entry belongs to the item's kind.
    const describe = DESCRIBERS[item.kind] as (item: Attention, words: Words) => AttentionText;
    return describe(item, words);
  };
}
