// The first node on the panel's own machine, if an engine is found there: one form for the node and its connection.
import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../contract/client.ts';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import type { Output } from '../../../../contract/table.ts';
import { type LocalValues, localNodeInput, type Suggestion } from '../../../../domain/nodes/local-node.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { VaultRemedy } from '../../components/credentials/vault-remedy.tsx';
import { refusedFields, wrongFields } from '../../components/form/field-errors.ts';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import { FormFailure } from '../../components/form/form-failure.tsx';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import { ErrorState } from '../../components/placeholder.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { usePanelCommand } from '../../data/host.ts';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { buildHash } from '../../router/route.ts';
import classes from './overview.module.css';

const LOOK_EVERY_MS = 5000;

type Found = Output<'suggestLocalNode'>;

interface LocalNodeProps {
  /** A local node without connections, if there is one. */
  readonly node: Node | undefined;
}

/** Shows what is found on this machine; the form opens on request, since it probes websites. */
export function LocalNode({ node }: LocalNodeProps) {
  const { t } = useTranslation('overview');
  const [isWanted, setWanted] = useState(false);
  const suggestion = useOperation('suggestLocalNode', {}, { pollMs: LOOK_EVERY_MS, enabled: !isWanted });
  const checkedSuggestion = useOperation('suggestLocalNode', { check_target: true }, { enabled: isWanted, staleMs: 0 });
  const found = suggestion.data;
  if (found === undefined) {
    return suggestion.error === null ? (
      <Skeleton width="40%" />
    ) : (
      <ErrorState size="small" failure={suggestion.error} onRetry={() => void suggestion.refetch()} />
    );
  }
  if (found.engine === null) return <NothingFound />;
  const { connection } = checkedSuggestion.data ?? found;
  if (!isWanted || connection === null) {
    return (
      <div className={classes.stepBody}>
        <p>{t(connection === null ? 'steps.here.noPort' : 'steps.here.found', formatEngine(found.engine))}</p>
        <div className={classes.stepActs}>
          <Button disabled={connection === null} onClick={() => setWanted(true)}>
            {t(node === undefined ? 'steps.here.act' : 'steps.here.connect')}
          </Button>
          {node === undefined && <OtherServer />}
        </div>
      </div>
    );
  }
  if (checkedSuggestion.data === undefined) {
    return (
      <div className={classes.stepBody} aria-busy>
        <p role="status">{t('steps.here.asking')}</p>
        <Skeleton width="60%" />
      </div>
    );
  }
  return <LocalNodeForm suggestion={{ ...checkedSuggestion.data, connection }} engine={found.engine} node={node} />;
}

const formatEngine = ({ name, version }: NonNullable<Found['engine']>) => ({
  engine: `${name === 'xray' ? 'Xray' : name} ${version}`,
});

interface LocalNodeFormProps extends LocalNodeProps {
  readonly suggestion: Suggestion;
  readonly engine: NonNullable<Found['engine']>;
}

function LocalNodeForm({ suggestion, engine, node }: LocalNodeFormProps) {
  const { t } = useTranslation(['overview', 'errors']);
  const { t: describe } = useTranslation('errors');
  const { connection } = suggestion;
  const isReality = connection.security === 'reality';
  const form = useForm<LocalValues>({
    initialValues: {
      address: node?.address ?? suggestion.address,
      port: connection.port,
      sni: connection.sni ?? '',
    },
  });
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const setUpNode = useAct('setUpLocalNode');

  async function setUp(event: FormEvent): Promise<void> {
    event.preventDefault();
    const names = { node: t('overview:steps.here.nodeName'), connection: t('overview:steps.here.connectionName') };
    const wanted = localNodeInput(suggestion, form.getValues(), names, node?.id);
    const wrong = wrongFields(describe, 'setUpLocalNode', wanted);
    form.setErrors(wrong);
    setFailure(null);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      await setUpNode.run(wanted);
    } catch (reason) {
      if (!(reason instanceof PanelCallError)) throw reason;
      const refused = refusedFields(describe, reason);
      form.setErrors(refused);
      if (!Object.keys(refused).some((name) => name in form.getValues())) setFailure(reason);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      className={classes.stepBody}
      aria-label={t('overview:steps.here.act')}
      onSubmit={(event) => void setUp(event)}
    >
      <p>{t(isReality ? 'overview:steps.here.reality' : 'overview:steps.here.tls', formatEngine(engine))}</p>
      <FieldRow>
        <TextInput
          label={t('overview:steps.here.address')}
          description={t('overview:steps.here.addressHint')}
          spellCheck={false}
          disabled={node !== undefined}
          ref={first}
          {...form.getInputProps('address')}
        />
        <WholeNumberInput
          label={t('overview:steps.here.port')}
          description={t('overview:steps.here.portHint')}
          {...form.getInputProps('port')}
        />
      </FieldRow>
      {isReality && (
        <>
          <TextInput
            label={t('overview:steps.here.site')}
            description={t('overview:steps.here.siteHint')}
            spellCheck={false}
            {...form.getInputProps('sni')}
          />
          {form.values.sni === connection.sni && <SiteState findings={connection.sni_findings} />}
        </>
      )}
      {failure?.code === 'vault_unavailable' ? <VaultRemedy /> : <FormFailure failure={failure} />}
      <div className={classes.stepActs}>
        <Button type="submit" loading={isBusy}>
          {t('overview:steps.here.submit')}
        </Button>
      </div>
    </form>
  );
}

/** The result of probing the suggested website. */
function SiteState({ findings }: { readonly findings: Suggestion['connection']['sni_findings'] }) {
  const { t } = useTranslation('overview');
  const isGood = findings?.length === 0;
  return (
    <p className={classes.siteState} data-tone={isGood ? 'ok' : 'warn'} role="status">
      {isGood ? (
        <IconCheck size={16} stroke={2} aria-hidden />
      ) : (
        <IconAlertTriangle size={16} stroke={1.5} aria-hidden />
      )}
      {t(isGood ? 'steps.here.siteGood' : 'steps.here.siteBad')}
    </p>
  );
}

function NothingFound() {
  const { t } = useTranslation('overview');
  const command = `${usePanelCommand()} engine install --file Xray-linux-64.zip --sha256 …`;
  return (
    <div className={classes.stepBody}>
      <p>{t('steps.here.none')}</p>
      <p className={classes.command}>
        <code>{command}</code>
        <CopyButton value={command} label={t('steps.here.copy')} />
      </p>
      <p className={classes.quiet} role="status">
        {t('steps.here.looking')}
      </p>
      <div className={classes.stepActs}>
        <OtherServer />
        <Button component="a" href={buildHash(['settings', 'general'])} variant="subtle">
          {t('steps.here.path')}
        </Button>
      </div>
    </div>
  );
}

function OtherServer() {
  const { t } = useTranslation('overview');
  return (
    <Button component="a" href={buildHash(['nodes', 'new'])} variant="subtle">
      {t('steps.here.other')}
    </Button>
  );
}
