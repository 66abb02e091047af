// The hosts of a connection: a list that is ordered by dragging or by arrow keys, with a form for each.
import {
  ActionIcon,
  Button,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Switch,
  TextInput,
} from '@mantine/core';
import { IconChevronDown, IconGripVertical, IconPlus, IconTrash } from '@tabler/icons-react';
import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_HOSTS } from '../../../../contract/hosts.ts';
import { FINGERPRINTS, inboundCreate } from '../../../../contract/inbounds.ts';
import { canImitate } from '../../../../domain/nodes/inbound-shape.ts';
import { AudienceFields } from '../../components/form/audience-fields.tsx';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import { moveRow } from '../../state/move-row.ts';
import { ALPNS } from './connection-labels.tsx';
import { blankHost, buildHosts, type HostValues, hostFields, hostShape } from './host-values.ts';
import classes from './hosts.module.css';
import type { Values } from './values.ts';

const NO_SHADOW = { shadow: 'none' } as const;

interface HostFieldsProps {
  readonly form: OperationForm<Values>['form'];
  /** The connection's address, used by hosts without one. */
  readonly nodeAddress: string;
}

export function HostFields({ form, nodeAddress }: HostFieldsProps) {
  const { t } = useTranslation('connections');
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const [openKey, setOpenKey] = useState<string | null>(null);
  const [draggedKey, setDraggedKey] = useState<string | null>(null);
  const [moved, setMoved] = useState('');
  const { hosts } = form.values;
  const errors = form.errors.hosts === undefined ? NO_ERRORS : findErrors(form.values);
  const address = form.values.host.trim() || nodeAddress;
  const setHosts = (next: readonly HostValues[]) => form.setFieldValue('hosts', [...next]);
  const titleOf = (host: HostValues) => host.name.trim() || host.address.trim() || address || t('hosts.untitled');

  function move(from: number, to: number): void {
    const next = moveRow(hosts, from, to);
    const host = hosts[from];
    if (next === hosts || host === undefined) return;
    setHosts(next);
    setMoved(t('hosts.moved', { name: titleOf(host), place: to + 1, total: hosts.length }));
    // React may have recreated its element.
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-grip="${host.key}"]`)?.focus());
  }

  function moveByKey(event: KeyboardEvent, index: number): void {
    const places: Partial<Record<string, number>> = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0 };
    const to = event.key === 'End' ? hosts.length - 1 : places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(index, to);
  }

  function drag({ clientY }: PointerEvent): void {
    const from = hosts.findIndex(({ key }) => key === draggedKey);
    if (from === -1) return;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-host]') ?? [])];
    const to = rows.findIndex((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return clientY >= top && clientY <= bottom;
    });
    if (to !== -1 && to !== from) move(from, to);
  }

  return (
    <section className={classes.hosts} aria-labelledby={id}>
      <header className={classes.head}>
        <div>
          <h3 id={id}>{t('hosts.title')}</h3>
          <p className={classes.quiet}>{hosts.length === 0 ? t('hosts.none') : t('hosts.hint')}</p>
        </div>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} stroke={1.5} />}
          disabled={hosts.length >= MAX_HOSTS}
          onClick={() => {
            const host = blankHost();
            setHosts([...hosts, host]);
            setOpenKey(host.key);
          }}
        >
          {t('hosts.add')}
        </Button>
      </header>
      {hosts.length > 1 && (
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={t('hosts.order')}
          value={form.values.host_order}
          data={[
            { value: 'listed', label: t('hosts.listed') },
            { value: 'weighted', label: t('hosts.weighted') },
          ]}
          onChange={(order) => form.setFieldValue('host_order', order as Values['host_order'])}
        />
      )}
      {hosts.length > 1 && form.values.host_order === 'weighted' && (
        <p className={classes.quiet}>{t('hosts.weightedHint')}</p>
      )}
      {hosts.length > 0 && (
        <ul ref={list}>
          {hosts.map((host, index) => {
            const isOpen = host.key === openKey;
            const name = titleOf(host);
            return (
              <li key={host.key} data-host={host.key} data-dragged={host.key === draggedKey || undefined}>
                <div className={classes.row}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    className={classes.grip ?? ''}
                    data-grip={host.key}
                    disabled={hosts.length < 2}
                    aria-label={t('hosts.move', { name })}
                    title={t('hosts.moveHint')}
                    onKeyDown={(event) => moveByKey(event, index)}
                    onPointerDown={(event) => {
                      event.currentTarget.setPointerCapture(event.pointerId);
                      setDraggedKey(host.key);
                    }}
                    onPointerMove={drag}
                    onPointerUp={() => setDraggedKey(null)}
                    onPointerCancel={() => setDraggedKey(null)}
                  >
                    <IconGripVertical size={16} stroke={1.5} />
                  </ActionIcon>
                  <button
                    type="button"
                    className={classes.open}
                    aria-expanded={isOpen}
                    onClick={() => setOpenKey(isOpen ? null : host.key)}
                  >
                    <span className={classes.name} data-off={!host.enabled || undefined}>
                      {name}
                    </span>
                    <span className={classes.place} dir="ltr">
                      {formatPlace(host, form.values.port, address)}
                    </span>
                    {!host.enabled && <span className={classes.mark}>{t('hosts.off')}</span>}
                    {host.tariffs.length + host.tags.length > 0 && (
                      <span className={classes.mark}>{t('hosts.some')}</span>
                    )}
                    <IconChevronDown size={16} stroke={1.5} className={classes.chevron} aria-hidden />
                  </button>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('hosts.remove', { name })}
                    onClick={() => setHosts(hosts.filter(({ key }) => key !== host.key))}
                  >
                    <IconTrash size={16} stroke={1.5} />
                  </ActionIcon>
                </div>
                {errors.has(index) && !isOpen && <p className={classes.error}>{t('hosts.wrong')}</p>}
                {isOpen && (
                  <HostEditor
                    host={host}
                    values={form.values}
                    address={address}
                    wrong={errors.get(index) ?? NO_MEMBERS}
                    onChange={(change) =>
                      setHosts(hosts.map((each) => (each.key === host.key ? { ...each, ...change } : each)))
                    }
                  />
                )}
              </li>
            );
          })}
        </ul>
      )}
      {form.errors.hosts !== undefined && errors.size === 0 && <p className={classes.error}>{form.errors.hosts}</p>}
      <p className={classes.spoken} role="status">
        {moved}
      </p>
    </section>
  );
}

const NO_ERRORS: ReadonlyMap<number, ReadonlySet<string>> = new Map();
const NO_MEMBERS: ReadonlySet<string> = new Set();

/** Members that the contract refuses, by the index of the host. */
function findErrors(values: Values): ReadonlyMap<number, ReadonlySet<string>> {
  const issues = inboundCreate.shape.hosts.safeParse(buildHosts(values, values.hosts)).error?.issues ?? [];
  const found = new Map<number, Set<string>>();
  for (const { path } of issues) {
    const index = Number(path[0]);
    found.set(index, (found.get(index) ?? new Set()).add(String(path[1])));
  }
  return found;
}

function formatPlace(host: HostValues, port: Values['port'], address: string): string {
  const own = host.address.trim() || address;
  return `${own.includes(':') ? `[${own}]` : own}:${host.port === '' ? port : host.port}`;
}

interface HostEditorProps {
  readonly host: HostValues;
  readonly values: Values;
  readonly address: string;
  /** Members that were refused. */
  readonly wrong: ReadonlySet<string>;
  readonly onChange: (change: Partial<HostValues>) => void;
}

function HostEditor({ host, values, address, wrong, onChange }: HostEditorProps) {
  const { t } = useTranslation(['connections', 'errors']);
  const fields = hostFields(values, host);
  const error = (member: keyof HostValues) => (wrong.has(member) ? t('errors:field.invalid') : undefined);
  const text = (member: 'name' | 'address' | 'sni' | 'host_header' | 'path', placeholder: string) => ({
    label: t(`connections:hosts.fields.${member}`),
    description: t(`connections:hosts.hints.${member}`, { variables: '{{DAYS_LEFT}}' }),
    value: host[member],
    placeholder,
    error: error(member),
    spellCheck: false,
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [member]: event.currentTarget.value }),
  });
  return (
    <div className={classes.editor}>
      <TextInput {...text('name', values.name)} maxLength={100} data-autofocus />
      <FieldRow>
        <TextInput {...text('address', address)} />
        <NumberInput
          label={t('connections:fields.port')}
          description={t('connections:hosts.hints.port')}
          placeholder={String(values.port)}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          error={error('port')}
          value={host.port}
          onChange={(port) => onChange({ port: typeof port === 'number' ? port : '' })}
        />
      </FieldRow>
      {fields.has('security') && (
        <Select
          label={t('connections:hosts.fields.security')}
          description={t('connections:hosts.hints.security')}
          data={[
            { value: '', label: t('connections:hosts.security.same') },
            { value: 'tls', label: t('connections:hosts.security.tls') },
            { value: 'none', label: t('connections:hosts.security.none') },
          ]}
          allowDeselect={false}
          comboboxProps={NO_SHADOW}
          value={host.security}
          onChange={(security) => onChange({ security: (security ?? '') as HostValues['security'] })}
        />
      )}
      {(fields.has('sni') || fields.has('host_header')) && (
        <FieldRow>
          {fields.has('sni') && <TextInput {...text('sni', values.sni)} />}
          {fields.has('host_header') && <TextInput {...text('host_header', host.sni || values.sni)} />}
        </FieldRow>
      )}
      {fields.has('path') && <TextInput {...text('path', values.path || '/')} />}
      {fields.has('fingerprint') && (
        <FieldRow>
          <Select
            label={t('connections:fields.fingerprint')}
            placeholder={values.fingerprint}
            data={FINGERPRINTS.filter((one) => canImitate(hostShape(values, host).security, one))}
            clearable
            comboboxProps={NO_SHADOW}
            value={host.fingerprint === '' ? null : host.fingerprint}
            onChange={(fingerprint) => onChange({ fingerprint: fingerprint ?? '' })}
          />
          {fields.has('alpn') && (
            <MultiSelect
              label={t('connections:fields.alpn')}
              data={ALPNS}
              clearable
              comboboxProps={NO_SHADOW}
              value={host.alpn}
              onChange={(alpn) => onChange({ alpn })}
            />
          )}
        </FieldRow>
      )}
      {values.host_order === 'weighted' && (
        <NumberInput
          label={t('connections:hosts.fields.weight')}
          description={t('connections:hosts.hints.weight')}
          allowDecimal={false}
          allowNegative={false}
          error={error('weight')}
          value={host.weight}
          onChange={(weight) => onChange({ weight: typeof weight === 'number' ? weight : '' })}
        />
      )}
      <AudienceFields
        value={host}
        hints={{ tariffs: t('connections:hosts.hints.tariffs'), tags: t('connections:hosts.hints.tags') }}
        errors={{ tariffs: error('tariffs'), tags: error('tags') }}
        onChange={onChange}
      />
      <Switch
        label={t('connections:fields.enabled')}
        checked={host.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
    </div>
  );
}
