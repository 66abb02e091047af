// Creates one user; empty fields come from the plan. Then the user's record opens, with the link to send.
import { Collapse, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BytesInput } from '../../../components/form/bytes-input.tsx';
import { FieldRow, FormDrawer } from '../../../components/form/form-drawer.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { WholeNumberInput } from '../../../components/form/whole-number-input.tsx';
import { fromDateField } from '../../../format/date-field.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash, changedQuery, parseRoute } from '../../../router/route.ts';
import { navigate, useRoute } from '../../../router/router.ts';
import { TagsField } from '../tags-field.tsx';
import classes from './create.module.css';
import type { CreateProps } from './plan-field.tsx';
import { PlanField, usualPlan } from './plan-field.tsx';

interface Values extends Record<string, unknown> {
  name: string;
  contact: string;
  tariff_id: string;
  tags: string[];
  note: string;
  expires_at: string;
  traffic_limit: number | null;
  device_limit: number | '';
  concurrent_limit: number | '';
}

export function CreateOne({ plans, list, kind, onClose }: CreateProps) {
  const { t } = useTranslation('users');
  const { timeZone } = useFormat();
  const [isMore, setMore] = useState(false);
  /** The part that the record is to open with. */
  const requestedAct = useRoute().query.get('do');
  const operation = useOperationForm<'createUser', Values>({
    operation: 'createUser',
    initial: {
      name: '',
      contact: '',
      tariff_id: usualPlan(plans),
      tags: [],
      note: '',
      expires_at: '',
      traffic_limit: null,
      device_limit: '',
      concurrent_limit: '',
    },
    toInput: (values) => {
      const date = fromDateField(values.expires_at, timeZone);
      return {
        name: values.name,
        tariff_id: Number(values.tariff_id || usualPlan(plans)),
        ...(values.contact !== '' && { contact: values.contact }),
        ...(values.tags.length > 0 && { tags: values.tags }),
        ...(values.note !== '' && { note: values.note }),
        ...(date !== null && { expires_at: date }),
        ...(values.traffic_limit !== null && { traffic_limit: values.traffic_limit }),
        ...(values.device_limit !== '' && { device_limit: values.device_limit }),
        ...(values.concurrent_limit !== '' && { concurrent_limit: values.concurrent_limit }),
      };
    },
    message: ({ name }) => ({ text: t('toast.created', { name }) }),
    onDone: ({ id }) =>
      navigate(buildHash(['users', id], changedQuery(parseRoute(list).query, { do: requestedAct })), { replace: true }),
  });
  const { form } = operation;
  const Chevron = isMore ? IconChevronDown : IconChevronRight;
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t('make.title')}
      action={t('make.add')}
      form={operation}
      isReady={!plans.isPending}
    >
      {kind}
      <TextInput
        label={t('make.name')}
        autoComplete="off"
        data-autofocus
        required
        withAsterisk={false}
        {...form.getInputProps('name')}
      />
      <PlanField
        plans={plans}
        value={form.getValues().tariff_id || usualPlan(plans)}
        inputProps={form.getInputProps('tariff_id')}
      />
      <TextInput
        label={t('make.contact')}
        description={t('make.contactHint')}
        autoComplete="off"
        {...form.getInputProps('contact')}
      />
      <TagsField label={t('make.tags')} {...form.getInputProps('tags')} />
      <Textarea label={t('make.note')} autosize minRows={2} maxRows={8} {...form.getInputProps('note')} />
      <div>
        <UnstyledButton className={classes.more ?? ''} aria-expanded={isMore} onClick={() => setMore(!isMore)}>
          <Chevron size={16} stroke={1.5} aria-hidden />
          {t('make.differs')}
        </UnstyledButton>
        <Collapse expanded={isMore}>
          <div className={classes.differing}>
            <p className={classes.quiet}>{t('make.differsHint')}</p>
            <TextInput
              type="datetime-local"
              label={t('make.expires')}
              description={t('term.dateHint', { zone: timeZone })}
              max="2100-01-01T00:00"
              {...form.getInputProps('expires_at')}
            />
            <FieldRow>
              <BytesInput label={t('make.limit')} {...form.getInputProps('traffic_limit')} />
              <WholeNumberInput
                label={t('make.devices')}
                description={t('access.devicesHint')}
                min={1}
                max={100}
                {...form.getInputProps('device_limit')}
              />
            </FieldRow>
            <WholeNumberInput
              label={t('make.addresses')}
              description={t('access.addressesHint')}
              min={1}
              max={100}
              {...form.getInputProps('concurrent_limit')}
            />
          </div>
        </Collapse>
      </div>
    </FormDrawer>
  );
}
