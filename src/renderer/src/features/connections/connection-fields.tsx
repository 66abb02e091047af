// The fields of a connection's form, by its protocol, network and security.
import {
  ActionIcon,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Switch,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { FINGERPRINTS, type Inbound, METHODS, PROTOCOLS } from '../../../../contract/inbounds.ts';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import {
  allowedNetworks,
  allowedSecurities,
  canImitate,
  canOfferPort,
  type InboundShape,
} from '../../../../domain/nodes/inbound-shape.ts';
import { DEFAULT_MTU, DEFAULT_POOL } from '../../../../domain/nodes/wireguard.ts';
import { EngineNeeds } from '../../components/connection-facts.tsx';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import { CertificateFields, type ShownCertificate } from './certificate-fields.tsx';
import { ALPNS, NETWORK_NAMES, PROTOCOL_NAMES, SECURITY_NAMES } from './connection-labels.tsx';
import classes from './connections.module.css';
import { EncryptionFields } from './encryption-fields.tsx';
import { HostFields } from './host-fields.tsx';
import { KeyFields } from './key-fields.tsx';
import { Mldsa65Fields } from './mldsa65-fields.tsx';
import { buildChanges, hasEncryption, listFormFields, newObfsPassword, reshaped, type Values } from './values.ts';
import { XhttpFields } from './xhttp-fields.tsx';

const NO_SHADOW = { shadow: 'none' } as const;

interface ConnectionFieldsProps {
  readonly form: OperationForm<Values>['form'];
  readonly nodes: readonly Node[];
  /** Other connections whose port it can share. */
  readonly owners: readonly Inbound[];
  /** The default tag. */
  readonly tag: string;
  /** null: a new connection, whose node and protocol can be chosen. */
  readonly present: {
    readonly hasPrivateKey: boolean;
    readonly publicKey: string;
    readonly certificate: ShownCertificate | null;
  } | null;
}

type Form = OperationForm<Values>['form'];

export function ConnectionFields({ form, nodes, owners, tag, present }: ConnectionFieldsProps) {
  const { values } = form;
  const fields = listFormFields(values);
  const node = nodes.find(({ id }) => String(id) === values.node_id);
  return (
    <>
      <PlaceFields form={form} nodes={nodes} isNew={present === null} />
      <ShapeFields form={form} node={node} isNew={present === null} />
      {fields.has('shares_port_of') && <SharedPortField form={form} owners={owners} />}
      <AddressFields form={form} node={node} />
      <TlsFields form={form} node={node} />
      <TransportFields form={form} />
      {fields.has('public_key') && <KeyFields form={form} present={present} />}
      {fields.has('mldsa65_verify') && <Mldsa65Fields form={form} isNew={present === null} />}
      {fields.has('encryption') && <EncryptionFields form={form} isNew={present === null} />}
      {fields.has('certificate') && <CertificateFields form={form} served={present?.certificate ?? null} />}
      <AppFields form={form} />
      <HostFields form={form} nodeAddress={node?.address ?? ''} />
      <OwnFields form={form} tag={tag} />
    </>
  );
}

interface PartProps {
  readonly form: Form;
  readonly node: Node | undefined;
}

/** Name and nodes. */
function PlaceFields({
  form,
  nodes,
  isNew,
}: {
  readonly form: Form;
  readonly nodes: readonly Node[];
  readonly isNew: boolean;
}) {
  const { t } = useTranslation(['connections', 'common']);
  const { values } = form;
  return (
    <>
      <FieldRow>
        <TextInput
          label={t('connections:fields.name')}
          description={t('connections:fields.nameHint')}
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label={t('connections:fields.node')}
          description={isNew ? t('connections:fields.nodeHint') : t('connections:fields.nodeFixed')}
          data={nodes.map(({ id, name }) => ({ value: String(id), label: name }))}
          placeholder={t('connections:fields.nodeChoose')}
          allowDeselect={false}
          disabled={!isNew}
          comboboxProps={NO_SHADOW}
          {...form.getInputProps('node_id')}
        />
      </FieldRow>
      {isNew && nodes.length > 1 && (
        <MultiSelect
          label={t('connections:fields.moreNodes')}
          description={t('connections:fields.moreNodesHint')}
          data={nodes
            .filter(({ id }) => String(id) !== values.node_id)
            .map(({ id, name }) => ({ value: String(id), label: name }))}
          placeholder={values.more_node_ids.length === 0 ? t('connections:fields.moreNodesNone') : ''}
          searchable
          clearable
          comboboxProps={NO_SHADOW}
          {...form.getInputProps('more_node_ids')}
        />
      )}
    </>
  );
}

/** Protocol, security and network, and which engines serve them. */
function ShapeFields({ form, node, isNew }: PartProps & { readonly isNew: boolean }) {
  const { t } = useTranslation(['connections', 'common']);
  const { values } = form;
  const core = node?.core ?? null;
  const reshape = (change: Partial<InboundShape>) => form.setValues(reshaped(values, change));
  const securities = allowedSecurities(values.protocol);
  const networks = allowedNetworks(values);
  return (
    <>
      <Choice
        label={t('connections:fields.protocol')}
        hint={t(`connections:protocol.${values.protocol}`)}
        value={values.protocol}
        data={PROTOCOLS.map((value) => ({ value, label: PROTOCOL_NAMES[value] }))}
        disabled={!isNew}
        onChange={(protocol) => reshape({ protocol })}
      />
      {securities.length > 1 && (
        <Choice
          label={t('connections:fields.security')}
          hint={t(`connections:security.${values.security}`)}
          value={values.security}
          data={securities.map((value) => ({ value, label: t(SECURITY_NAMES[value]) }))}
          onChange={(security) => reshape({ security })}
        />
      )}
      {networks.length > 1 && (
        <Choice
          label={t('connections:fields.network')}
          hint={t(`connections:network.${values.network}`)}
          value={values.network}
          data={networks.map((value) => ({ value, label: NETWORK_NAMES[value] }))}
          onChange={(network) => reshape({ network })}
        />
      )}
      <p className={classes.hint}>
        {t('connections:needs.form')}{' '}
        <EngineNeeds
          inbound={{
            ...buildChanges(values),
            protocol: values.protocol,
            network: values.network,
            security: values.security,
          }}
        />
        {core && ` · ${t('connections:needs.has', { engine: `${core.name} ${core.version}` })}`}
      </p>
    </>
  );
}

/** The connection whose port is shared: those of its node that can forward to it. */
function SharedPortField({ form, owners }: Pick<ConnectionFieldsProps, 'form' | 'owners'>) {
  const { t } = useTranslation(['connections', 'common']);
  const { node_id, security, shares_port_of } = form.values;
  const offered = owners.filter(
    (one) =>
      String(one.node_id) === node_id &&
      one.security === security &&
      canOfferPort({ ...one, encryption: one.encryption ?? null }) &&
      (one.shares_port_of ?? null) === null,
  );
  if (offered.length === 0 && shares_port_of === '') return null;
  return (
    <Select
      label={t('connections:fields.sharesPortOf')}
      description={t('connections:fields.sharesPortOfHint')}
      placeholder={t('connections:fields.sharesPortOfNone')}
      data={offered.map(({ id, name, port }) => ({ value: String(id), label: `${name} · ${port ?? ''}` }))}
      clearable
      comboboxProps={NO_SHADOW}
      {...form.getInputProps('shares_port_of')}
      value={shares_port_of === '' ? null : String(shares_port_of)}
      onChange={(value) => {
        const owner = offered.find(({ id }) => String(id) === value);
        form.setFieldValue('shares_port_of', owner?.id ?? '');
        if (owner?.port !== undefined) form.setFieldValue('port', owner.port);
      }}
    />
  );
}

/** Address, port and cipher. */
function AddressFields({ form, node }: PartProps) {
  const { t } = useTranslation(['connections', 'common']);
  const { values } = form;
  const fields = listFormFields(values);
  const isShared = fields.has('shares_port_of') && values.shares_port_of !== '';
  return (
    <>
      <FieldRow>
        <TextInput
          label={t('connections:fields.host')}
          description={t(isShared ? 'connections:fields.sharedHint' : 'connections:fields.hostHint')}
          placeholder={node?.address ?? ''}
          spellCheck={false}
          {...form.getInputProps('host')}
        />
        <NumberInput
          label={t('connections:fields.port')}
          description={t(isShared ? 'connections:fields.portShared' : 'connections:fields.portHint')}
          disabled={isShared}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps('port')}
        />
      </FieldRow>
      {fields.has('method') && (
        <Select
          label={t('connections:fields.method')}
          description={t('connections:fields.methodHint')}
          data={[...METHODS]}
          allowDeselect={false}
          comboboxProps={NO_SHADOW}
          {...form.getInputProps('method')}
        />
      )}
    </>
  );
}

/** Fields of the TLS handshake. */
function TlsFields({ form, node }: PartProps) {
  const { t } = useTranslation(['connections', 'common']);
  const { values } = form;
  const fields = listFormFields(values);
  const isShared = fields.has('shares_port_of') && values.shares_port_of !== '';
  return (
    <>
      {fields.has('sni') && (
        <FieldRow>
          <TextInput
            label={t('connections:fields.sni')}
            description={t(isShared ? 'connections:fields.sharedHint' : `connections:sniHint.${values.security}`)}
            placeholder={values.security === 'reality' ? '' : ((values.host || node?.address) ?? '')}
            spellCheck={false}
            {...form.getInputProps('sni')}
          />
          {fields.has('fingerprint') && (
            <Select
              label={t('connections:fields.fingerprint')}
              description={t('connections:fields.fingerprintHint')}
              placeholder={t('common:none')}
              data={FINGERPRINTS.filter((one) => canImitate(values.security, one))}
              clearable={values.security === 'tls'}
              allowDeselect={values.security === 'tls'}
              comboboxProps={NO_SHADOW}
              {...form.getInputProps('fingerprint')}
              value={values.fingerprint === '' ? null : values.fingerprint}
              onChange={(value) => form.setFieldValue('fingerprint', value ?? '')}
            />
          )}
        </FieldRow>
      )}
      {fields.has('target') && (
        <FieldRow>
          <TextInput
            label={t('connections:fields.target')}
            description={t('connections:fields.targetHint')}
            placeholder={values.sni.trim() === '' ? '' : `${values.sni.trim()}:443`}
            spellCheck={false}
            {...form.getInputProps('target')}
          />
          <TextInput
            label={t('connections:fields.minClientVersion')}
            description={t('connections:fields.minClientVersionHint')}
            placeholder={t('common:none')}
            maxLength={11}
            spellCheck={false}
            {...form.getInputProps('min_client_version')}
          />
        </FieldRow>
      )}
    </>
  );
}

/** Other fields of network and protocol. */
function TransportFields({ form }: Pick<PartProps, 'form'>) {
  const { t } = useTranslation(['connections', 'common']);
  const { values } = form;
  const fields = listFormFields(values);
  const isEncrypted = hasEncryption(values);
  return (
    <>
      {fields.has('path') && (
        <TextInput
          label={t('connections:fields.path')}
          description={t('connections:fields.pathHint')}
          placeholder="/"
          spellCheck={false}
          {...form.getInputProps('path')}
        />
      )}
      {fields.has('proxy_header') && (
        <TextInput
          label={t('connections:fields.proxyHeader')}
          description={t('connections:fields.proxyHeaderHint')}
          placeholder={t('common:none')}
          maxLength={64}
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps('proxy_header')}
        />
      )}
      {fields.has('xhttp_mode') && <XhttpFields form={form} />}
      {fields.has('fallback') && (
        <FieldRow>
          <TextInput
            label={t('connections:fields.fallback')}
            description={t(isEncrypted ? 'connections:encryption.noFallback' : 'connections:fields.fallbackHint')}
            placeholder={t('common:none')}
            maxLength={261}
            spellCheck={false}
            autoComplete="off"
            disabled={isEncrypted}
            {...form.getInputProps('fallback')}
          />
          <Select
            label={t('connections:fields.fallbackProxyProtocol')}
            description={t('connections:fields.fallbackProxyProtocolHint')}
            placeholder={t('common:none')}
            data={['1', '2']}
            clearable
            disabled={isEncrypted || values.fallback.trim() === ''}
            comboboxProps={NO_SHADOW}
            {...form.getInputProps('fallback_proxy_protocol')}
            value={values.fallback_proxy_protocol === '' ? null : String(values.fallback_proxy_protocol)}
            onChange={(value) => form.setFieldValue('fallback_proxy_protocol', value === null ? '' : Number(value))}
          />
        </FieldRow>
      )}
      {fields.has('service_name') && (
        <TextInput
          label={t('connections:fields.service')}
          description={t('connections:fields.serviceHint')}
          spellCheck={false}
          {...form.getInputProps('service_name')}
        />
      )}
      {fields.has('alpn') && (
        <MultiSelect
          label={t('connections:fields.alpn')}
          description={t('connections:fields.alpnHint')}
          data={ALPNS}
          clearable
          comboboxProps={NO_SHADOW}
          {...form.getInputProps('alpn')}
        />
      )}
      {fields.has('obfs_password') && (
        <TextInput
          label={t('connections:fields.obfsPassword')}
          description={t('connections:fields.obfsPasswordHint')}
          placeholder={t('common:none')}
          maxLength={128}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.code ?? '' }}
          rightSection={
            <Tooltip label={t('connections:fields.obfsPasswordMake')}>
              <ActionIcon
                variant="subtle"
                aria-label={t('connections:fields.obfsPasswordMake')}
                onClick={() => form.setFieldValue('obfs_password', newObfsPassword())}
              >
                <IconRefresh size={16} stroke={1.5} />
              </ActionIcon>
            </Tooltip>
          }
          {...form.getInputProps('obfs_password')}
        />
      )}
      {fields.has('hop_ports') && (
        <TextInput
          label={t('connections:fields.hopPorts')}
          description={t('connections:fields.hopPortsHint')}
          placeholder={t('common:none')}
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps('hop_ports')}
        />
      )}
      {fields.has('masquerade') && (
        <TextInput
          label={t('connections:fields.masquerade')}
          description={t('connections:fields.masqueradeHint')}
          placeholder={t('common:none')}
          maxLength={256}
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps('masquerade')}
        />
      )}
      {fields.has('address_pool') && (
        <FieldRow>
          <TextInput
            label={t('connections:fields.addressPool')}
            description={t('connections:fields.addressPoolHint')}
            placeholder={DEFAULT_POOL}
            maxLength={18}
            spellCheck={false}
            autoComplete="off"
            {...form.getInputProps('address_pool')}
          />
          <NumberInput
            label={t('connections:fields.mtu')}
            description={t('connections:fields.mtuHint')}
            placeholder={String(DEFAULT_MTU)}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            {...form.getInputProps('mtu')}
          />
        </FieldRow>
      )}
      {fields.has('flow') && (
        <Switch
          label={t('connections:fields.flow')}
          description={t('connections:fields.flowHint')}
          checked={values.flow !== ''}
          onChange={(event) => form.setFieldValue('flow', event.currentTarget.checked ? 'xtls-rprx-vision' : '')}
        />
      )}
    </>
  );
}

/** Settings of apps that do not concern the node. */
function AppFields({ form }: Pick<PartProps, 'form'>) {
  const { t } = useTranslation(['connections', 'common']);
  const { values } = form;
  const fields = listFormFields(values);
  const text = { placeholder: t('common:none'), maxLength: 40, spellCheck: false, autoComplete: 'off' };
  return (
    <>
      {fields.has('fragment') && (
        <TextInput
          label={t('connections:fields.fragment')}
          description={t('connections:fields.fragmentHint')}
          {...text}
          {...form.getInputProps('fragment')}
        />
      )}
      {fields.has('noise') && (
        <TextInput
          label={t('connections:fields.noise')}
          description={t('connections:fields.noiseHint')}
          {...text}
          {...form.getInputProps('noise')}
        />
      )}
      {fields.has('mux') && values.flow === '' && (
        <NumberInput
          label={t('connections:fields.mux')}
          description={t('connections:fields.muxHint')}
          placeholder={t('common:none')}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps('mux')}
        />
      )}
    </>
  );
}

/** Tag and note. */
function OwnFields({ form, tag }: { readonly form: Form; readonly tag: string }) {
  const { t } = useTranslation(['connections', 'common']);
  return (
    <>
      <TextInput
        label={t('connections:fields.tag')}
        description={t('connections:fields.tagHint')}
        placeholder={tag}
        maxLength={64}
        spellCheck={false}
        {...form.getInputProps('tag')}
      />
      <Switch
        label={t('connections:fields.enabled')}
        description={t('connections:fields.enabledHint')}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
      <Textarea
        label={t('connections:fields.note')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={2000}
        {...form.getInputProps('note')}
      />
    </>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly hint: ReactNode;
  readonly value: Value;
  readonly data: readonly { readonly value: Value; readonly label: string }[];
  readonly disabled?: boolean;
  readonly onChange: (value: Value) => void;
}

/** A choice of few values, with an explanation of the chosen one. */
function Choice<Value extends string>({ label, hint, value, data, disabled = false, onChange }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div>
      <span className={classes.label} id={id}>
        {label}
      </span>
      <SegmentedControl
        fullWidth
        classNames={{ root: classes.choice ?? '' }}
        aria-labelledby={id}
        value={value}
        data={[...data]}
        disabled={disabled}
        onChange={(next) => onChange(next as Value)}
      />
      <p className={classes.hint}>{hint}</p>
    </div>
  );
}
