// Switches engines of remote nodes: shows first what that changes for users, then updates one node after the other.
import { Button, Checkbox, Select } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EngineAbility, EngineUpdate } from '../../../../contract/nodes/engine-update.ts';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import type { Output } from '../../../../contract/table.ts';
import { DrawerSection, RecordDrawer } from '../../components/record-drawer.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useNodeCommand, usePanelCommand } from '../../data/host.ts';
import { useAct } from '../../data/use-act.ts';
import { useOperation, useWholeList } from '../../data/use-operation.ts';
import classes from './nodes.module.css';

interface EngineUpdateProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly nodes: readonly Node[];
}

type Preview = Output<'previewEngineUpdate'>;

/** Proper names, the same in every language; others are in the texts. */
const NAMES = {
  grpc: 'gRPC',
  httpupgrade: 'HTTPUpgrade',
  xhttp: 'XHTTP',
  reality: 'REALITY',
  vision: 'XTLS Vision',
  mldsa65: 'ML-DSA-65',
  hysteria2: 'Hysteria2',
} as const satisfies Partial<Record<EngineAbility, string>>;
const hasName = (ability: EngineAbility): ability is keyof typeof NAMES => ability in NAMES;

/** Stands for each node's former engine. */
const FORMER = 'former';
const LOOK_MS = 2000;

/** A program with its version: `xray-26.7.28` becomes `xray 26.7.28`. */
const formatEngine = (engine: string | null) => engine?.replace('-', ' ') ?? '—';

export function EngineUpdateDrawer({ isOpen, onClose, nodes }: EngineUpdateProps) {
  const { t } = useTranslation('nodes');
  const command = useNodeCommand();
  const own = usePanelCommand();
  const [engine, setEngine] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string[]>([]);
  const [preview, setPreview] = useState<Preview | null>(null);
  const previewUpdate = useAct('previewEngineUpdate', { onDone: setPreview, onFailure: () => {} });
  const progress = useOperation('getEngineUpdate', {}, { enabled: isOpen, pollMs: LOOK_MS });
  const update = progress.data?.update ?? null;
  const isRunning = update?.is_running === true;
  const start = useAct('updateEngines', { onDone: () => void progress.refetch() });
  const stop = useAct('stopEngineUpdate', { onDone: () => void progress.refetch() });
  const isFormer = engine === FORMER;
  const wanted = engine === null || isFormer ? null : engine;
  const { run } = previewUpdate;
  useEffect(() => {
    if (isOpen) void run({ engine: wanted }).catch(() => {});
  }, [isOpen, wanted, run]);
  const canTake = (node: Preview['nodes'][number]) =>
    node.problem === null && (isFormer ? node.former !== null : wanted !== null && node.offered.includes(wanted));
  const ids = preview?.nodes.filter((node) => canTake(node) && chosen.includes(String(node.node_id))) ?? [];
  return (
    <RecordDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('engines.title')}
      width={560}
      footer={
        isRunning ? (
          <Button variant="default" loading={stop.isRunning} onClick={() => stop.start({})}>
            {t('engines.stop')}
          </Button>
        ) : (
          <Button
            disabled={ids.length === 0}
            loading={start.isRunning}
            onClick={() => start.start({ node_ids: ids.map(({ node_id }) => node_id), engine: wanted })}
          >
            {t('engines.start', { count: ids.length })}
          </Button>
        )
      }
    >
      <DrawerSection>
        <p>{t('engines.text')}</p>
      </DrawerSection>
      {update !== null && <Progress update={update} nodes={nodes} />}
      {!isRunning && (
        <DrawerSection title={t('engines.which')}>
          {preview === null ? (
            <Skeleton height={96} />
          ) : preview.nodes.length === 0 ? (
            <p className={classes.quiet}>{t('engines.none')}</p>
          ) : (
            <>
              <Select
                label={t('engines.engine')}
                placeholder={t('engines.choose')}
                data={[
                  ...preview.offered.map((value) => ({ value, label: formatEngine(value) })),
                  { value: FORMER, label: t('engines.former') },
                ]}
                comboboxProps={{ shadow: 'none' }}
                value={engine}
                onChange={setEngine}
              />
              {preview.offered.length === 0 && (
                <p className={classes.quiet}>{t('engines.nothingOffered', { command, own })}</p>
              )}
              <Checkbox.Group label={t('title')} value={chosen} onChange={setChosen}>
                <div className={classes.choices}>
                  {preview.nodes.map((node) => (
                    <Checkbox
                      key={node.node_id}
                      value={String(node.node_id)}
                      label={getNodeName(nodes, node.node_id)}
                      disabled={!canTake(node)}
                      description={<Change node={node} isFormer={isFormer} isChosen={wanted !== null} />}
                    />
                  ))}
                </div>
              </Checkbox.Group>
            </>
          )}
        </DrawerSection>
      )}
    </RecordDrawer>
  );
}

function getNodeName(nodes: readonly Node[], id: number): string {
  return nodes.find((node) => node.id === id)?.name ?? `#${id}`;
}

/** What a node runs, and the effect of another engine on its users. */
function Change({
  node,
  isFormer,
  isChosen,
}: {
  readonly node: Preview['nodes'][number];
  readonly isFormer: boolean;
  readonly isChosen: boolean;
}) {
  const { t } = useTranslation('nodes');
  const { data } = useWholeList('listInbounds', { node_id: node.node_id }, { enabled: node.unserved.length > 0 });
  if (node.problem !== null) return t(`engines.problem.${node.problem}`);
  const runs = t('engines.runs', { engine: formatEngine(node.current) });
  if (isFormer) return `${runs} ${t('engines.goesBack', { engine: formatEngine(node.former) })}`;
  if (!isChosen) return runs;
  const nameAbilities = (all: typeof node.gained) =>
    all.map((one) => (hasName(one) ? NAMES[one] : t(`engines.ability.${one}`))).join(', ');
  const unserved = data?.items.filter(({ id }) => node.unserved.includes(id)).map(({ name }) => name) ?? [];
  const parts = [
    runs,
    node.gained.length > 0 ? t('engines.gained', { what: nameAbilities(node.gained) }) : '',
    node.lost.length > 0 ? t('engines.lost', { what: nameAbilities(node.lost) }) : '',
    node.gained.length + node.lost.length + (node.cut_off?.users ?? 0) === 0 ? t('engines.noChange') : '',
    formatCutOff(t, node.cut_off),
    unserved.length > 0 ? t('engines.unserved', { names: unserved.join(', ') }) : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const CORE_NAMES = { xray: 'Xray', 'sing-box': 'sing-box', mihomo: 'Clash (mihomo)' } as const;

/** The users who would be cut off: "Cuts off 312 of 4,100 users: 298 on Clash (mihomo), 14 with fingerprint edge." */
function formatCutOff(t: TFunction<'nodes'>, cutOff: Preview['nodes'][number]['cut_off']): string {
  if (cutOff === null || cutOff.users === 0) return '';
  const reasons = cutOff.reasons.map(({ core, fingerprint, users: count }) =>
    fingerprint === null
      ? t('engines.onCore', { count, core: CORE_NAMES[core] })
      : t('engines.withFingerprint', { count, core: CORE_NAMES[core], fingerprint }),
  );
  return t('engines.cutOff', { count: cutOff.total, users: cutOff.users, reasons: reasons.join(', ') });
}

function Progress({ update, nodes }: { readonly update: EngineUpdate; readonly nodes: readonly Node[] }) {
  const { t } = useTranslation('nodes');
  const title = t(update.is_running ? 'engines.running' : 'engines.last', {
    engine: update.engine === null ? t('engines.former') : formatEngine(update.engine),
  });
  return (
    <DrawerSection title={title}>
      <ul className={classes.engineSteps} aria-live="polite">
        {update.steps.map(({ node_id: id, state, reason }) => (
          <li key={id}>
            {getNodeName(nodes, id)}: {t(`engines.state.${state}`)}
            {reason !== '' && <span className={classes.quiet}> {reason}</span>}
          </li>
        ))}
      </ul>
    </DrawerSection>
  );
}
