// The drawer that creates, copies or changes a connection.
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { type Protocol, sharedTransports } from '../../../../domain/nodes/inbound-shape.ts';
import { nextPort } from '../../../../domain/nodes/usual-ports.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import type { DescribeField, FieldTexts } from '../../components/form/field-errors.ts';
import { FormDrawer } from '../../components/form/form-drawer.tsx';
import { OpenedRecord, type RecordVersion } from '../../components/form/opened-record.tsx';
import { isPemRefusal } from '../../components/form/pem-input.tsx';
import { useOperationForm } from '../../components/form/use-operation-form.ts';
import { useOpening } from '../../components/use-opening.ts';
import { useAct } from '../../data/use-act.ts';
import { showHidden } from '../../format/show-hidden.ts';
import { buildHash } from '../../router/route.ts';
import { ConnectionFields } from './connection-fields.tsx';
import { ConnectionState, formatKind } from './connection-labels.tsx';
import { ConnectionMenu } from './connection-menu.tsx';
import { ConnectionWarnings } from './connection-warnings.tsx';
import classes from './connections.module.css';
import { listSiblings } from './group.ts';
import {
  blankValues,
  buildChanges,
  buildCreateInput,
  freeTag,
  hasEncryption,
  listFormFields,
  listMissingFields,
  previewLinks,
  readExtra,
  toFormValues,
  type Values,
} from './values.ts';

interface ConnectionDrawerProps {
  /** `new`, the id of a connection, or null: closed. */
  readonly open: 'new' | number | null;
  /** The original of a copy. */
  readonly from: Inbound | undefined;
  /** Initial node of a new connection. */
  readonly nodeId: number | null;
  readonly nodes: readonly Node[];
  readonly all: readonly Inbound[];
  readonly onClose: () => void;
}

export function ConnectionDrawer({ open, ...props }: ConnectionDrawerProps) {
  const { shown, count } = useOpening(open);
  const isOpen = open !== null;
  if (shown === null) return null;
  if (shown === 'new') return <NewConnection key={count} isOpen={isOpen} {...props} />;
  return (
    <OpenedRecord key={count} read="getInbound" id={shown} isOpen={isOpen} onClose={props.onClose} width={560}>
      {(inbound, version) => <EditConnection inbound={inbound} version={version} isOpen={isOpen} {...props} />}
    </OpenedRecord>
  );
}

interface OpenProps extends Omit<ConnectionDrawerProps, 'open'> {
  readonly isOpen: boolean;
}

function NewConnection({ isOpen, from, nodeId, nodes, all, onClose }: OpenProps) {
  const { t } = useTranslation('connections');
  const only = nodes.length === 1 ? (nodes[0]?.id ?? null) : null;
  const portFor = (node: string, protocol: Protocol) => nextPort(listUsedPorts(all, node, protocol));
  // A copy needs its own keys and port.
  const initial: Values =
    from === undefined
      ? blankValues(nodeId ?? only, portFor(String(nodeId ?? only ?? ''), 'vless'))
      : {
          ...toFormValues(from),
          name: t('copyOf', { name: from.name }).slice(0, 100),
          tag: '',
          port: portFor(String(from.node_id), from.protocol),
          public_key: '',
          encryption: '',
          mldsa65_verify: '',
          short_id: '',
          certificate: '',
        };
  const tagFor = (values: Values) => {
    const nodeIds = [values.node_id, ...values.more_node_ids];
    return freeTag(values, new Set(nodeIds.flatMap((node) => [...listUsedTags(all, node, null)])));
  };
  const check = useCheck(all, null);
  const describeField = useFieldTexts();
  const { form, ...rest } = useOperationForm({
    operation: 'createInbound',
    initial,
    toInput: (values) => buildCreateInput({ ...values, tag: values.tag.trim() || tagFor(values) }),
    check,
    describeField,
    message: ({ name }) => ({ text: t('toast.created', { name }) }),
    onDone: onClose,
  });
  // Do not replace a port that was entered.
  const replacePort = (before: number, after: number) => {
    if (form.getValues().port === before) form.setFieldValue('port', after);
  };
  form.watch('node_id', ({ previousValue, value }) => {
    const { protocol } = form.getValues();
    replacePort(portFor(previousValue, protocol), portFor(value, protocol));
  });
  form.watch('protocol', ({ previousValue, value }) => {
    const { node_id } = form.getValues();
    replacePort(portFor(node_id, previousValue), portFor(node_id, value));
  });
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={from === undefined ? t('create') : t('copyTitle', { name: from.name })}
      action={t('createAct')}
      width={560}
      form={rest}
    >
      <ConnectionFields form={form} nodes={nodes} owners={all} tag={tagFor(form.values)} present={null} />
      <ConnectionWarnings values={form.values} nodes={nodes} saved={null} />
      <LinkPreview values={form.values} nodeAddress={findAddress(nodes, form.values.node_id)} all={all} />
    </FormDrawer>
  );
}

type Changes = ReturnType<typeof buildChanges>;

/** Leaves out unchanged addresses, because changing them needs a proof of identity. */
function omitSameAddresses({ host, hosts, ...changes }: Changes, than: Pick<Changes, 'host' | 'hosts'>) {
  const isSame = JSON.stringify(hosts) === JSON.stringify(than.hosts);
  return { ...changes, ...(host !== than.host && { host }), ...(!isSame && { hosts }) };
}

interface EditProps extends OpenProps {
  readonly inbound: Inbound;
  readonly version: RecordVersion;
}

function EditConnection({ inbound, version, isOpen, nodes, all, onClose }: EditProps) {
  const { t } = useTranslation(['connections', 'common']);
  const { id } = inbound;
  const { run } = useAct('updateInbound');
  const check = useCheck(all, id);
  const describeField = useFieldTexts();
  const former = buildChanges(toFormValues(inbound));
  const { form, ...rest } = useOperationForm({
    operation: 'updateInbound',
    initial: toFormValues(inbound),
    toInput: (values) => ({ id, ...omitSameAddresses(buildChanges(values), former) }),
    check,
    describeField,
    ifMatch: version.etag,
    message: ({ name, public_key, encryption, mldsa65_verify, certificate_sha256, ...changed }) => ({
      text: t('connections:toast.saved', { name }),
      // A replaced key cannot be restored.
      ...(public_key === inbound.public_key &&
        encryption === inbound.encryption &&
        mldsa65_verify === inbound.mldsa65_verify &&
        certificate_sha256 === inbound.certificate_sha256 && {
          undo: () => run({ id, ...omitSameAddresses(former, buildChanges(toFormValues({ ...inbound, ...changed }))) }),
        }),
    }),
    onDone: onClose,
  });
  const { certificate_ends_at: endsAt } = inbound;
  const present = {
    hasPrivateKey: inbound.has_private_key === true,
    publicKey: inbound.public_key ?? '',
    certificate: endsAt ? { own: inbound.certificate ?? '', endsAt } : null,
  };
  return (
    <FormDrawer
      isOpen={isOpen}
      isOfList
      onClose={onClose}
      title={inbound.name}
      subtitle={
        <>
          <ConnectionState inbound={inbound} />
          <span>{formatKind(inbound)}</span>
        </>
      }
      actions={<ConnectionMenu inbound={inbound} onGone={onClose} onChanged={version.reload} />}
      action={t('common:save')}
      width={560}
      form={rest}
      onReload={version.reload}
    >
      <GroupFacts inbound={inbound} nodes={nodes} all={all} />
      <ConnectionFields
        form={form}
        nodes={nodes}
        owners={all.filter((one) => one.id !== id)}
        tag=""
        present={present}
      />
      <ConnectionWarnings values={form.values} nodes={nodes} saved={inbound} />
      <LinkPreview values={form.values} nodeAddress={findAddress(nodes, form.values.node_id)} all={all} />
    </FormDrawer>
  );
}

/** The other connections of the group, and which of their fields change too. */
function GroupFacts({ inbound, nodes, all }: { readonly inbound: Inbound } & Pick<OpenProps, 'nodes' | 'all'>) {
  const { t } = useTranslation('connections');
  const others = listSiblings(inbound, all);
  if (others.length === 0) return null;
  return (
    <section className={classes.group} aria-label={t('group.title')}>
      <p>{t('group.text', { count: others.length })}</p>
      <ul>
        {others.map(({ id, name, node_id }) => (
          <li key={id}>
            <a href={buildHash(['connections', id])}>{showHidden(name)}</a>
            <span className={classes.quiet}> · {nodes.find((node) => node.id === node_id)?.name ?? ''}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function findAddress(nodes: readonly Node[], id: string): string {
  return nodes.find((node) => String(node.id) === id)?.address ?? '';
}

/** Tags that other connections of a node use. */
function listUsedTags(all: readonly Inbound[], nodeId: string, ownId: number | null): ReadonlySet<string> {
  return new Set(all.filter(({ id, node_id }) => String(node_id) === nodeId && id !== ownId).map(({ tag }) => tag));
}

/** Ports of a node that a connection of this protocol cannot use. */
function listUsedPorts(all: readonly Inbound[], nodeId: string, wanted: Protocol): ReadonlySet<number> {
  const own = all.filter(
    ({ node_id, protocol }) => String(node_id) === nodeId && sharedTransports(protocol, wanted).length > 0,
  );
  return new Set(own.flatMap(({ port }) => port ?? []));
}

/** Validation beyond the schema: fields that the shape requires, and tags and ports in use. */
function useCheck(all: readonly Inbound[], ownId: number | null): (values: Values) => FieldTexts {
  const { t } = useTranslation(['errors', 'connections']);
  return (values) => {
    const texts: FieldTexts = Object.fromEntries(
      listMissingFields(values).map((field) => [field, t('errors:field.required')]),
    );
    const { wrong } = readExtra(values.xhttp_extra);
    if (values.network === 'xhttp' && wrong !== null)
      texts.xhttp_extra =
        wrong === '' ? t('connections:xhttp.noJson') : t('connections:xhttp.wrong', { member: wrong });
    const nodeIds = [values.node_id, ...values.more_node_ids];
    const isTaken = nodeIds.some((nodeId) => listUsedTags(all, nodeId, ownId).has(values.tag.trim()));
    const isSharing = listFormFields(values).has('shares_port_of') && values.shares_port_of !== '';
    const conflicting = all.find(({ id, node_id, port, protocol, shares_port_of }) => {
      const isOther = nodeIds.includes(String(node_id)) && id !== ownId;
      const hasOwnPort = !isSharing && (shares_port_of ?? null) === null;
      return isOther && hasOwnPort && port === values.port && sharedTransports(protocol, values.protocol).length > 0;
    });
    const isShared = ownId !== null && all.some(({ shares_port_of }) => shares_port_of === ownId);
    if (isShared && hasEncryption(values))
      texts[values.encryption === '' ? 'decryption' : 'encryption'] = t('connections:encryption.noSharing');
    if (isTaken) texts.tag = t('connections:tagTaken');
    if (conflicting) texts.port = t('connections:portTaken', { name: conflicting.name });
    return texts;
  };
}

const TEXTS_WITH_FORMAT = ['hop_ports', 'masquerade', 'fragment', 'noise', 'fallback', 'shares_port_of'] as const;
type TextWithFormat = (typeof TEXTS_WITH_FORMAT)[number];

/** Fields with the same text for every code, because their schemas have several rules. */
function isTextWithFormat(field: string): field is TextWithFormat {
  return TEXTS_WITH_FORMAT.some((one) => one === field);
}

/** Texts for errors in a path, service name, header, certificate or key. */
function useFieldTexts(): DescribeField {
  const { t } = useTranslation(['connections', 'settings']);
  return (field, code) => {
    if (isTextWithFormat(field)) return t(`connections:format.${field}`);
    if (code === 'format' && (field === 'path' || field === 'service_name' || field === 'proxy_header'))
      return t(`connections:format.${field}`);
    return field.startsWith('certificate') && isPemRefusal(code) ? t(`settings:certificates.wrong.${code}`) : undefined;
  };
}

// A preview of the share link for a sample user, built by the code of real links.

interface LinkPreviewProps {
  readonly values: Values;
  readonly nodeAddress: string;
  readonly all: readonly Inbound[];
}

function LinkPreview({ values, nodeAddress, all }: LinkPreviewProps) {
  const { t } = useTranslation('connections');
  const ownerId = listFormFields(values).has('shares_port_of') ? values.shares_port_of : '';
  const links = previewLinks(values, nodeAddress, all.find(({ id }) => id === ownerId) ?? null);
  const getHint = () => {
    if (links === null) return t('preview.waits');
    return links.length === 0 ? t('preview.none') : t('preview.hint');
  };
  const text = links === null ? null : links.map(({ link }) => link).join('\n');
  return (
    <section className={classes.preview} aria-label={t('preview.title')}>
      <header className={classes.previewHead}>
        <div>
          <h3>{t('preview.title')}</h3>
          <p className={classes.quiet}>{getHint()}</p>
        </div>
        {text !== null && text !== '' && <CopyButton value={text} label={t('preview.copy')} />}
      </header>
      {links?.map(({ place, name, link }) => (
        <div key={place} className={classes.entry}>
          <span className={classes.entryName}>{showHidden(name)}</span>
          <code className={classes.link} dir="ltr">
            {link}
          </code>
        </div>
      ))}
    </section>
  );
}
