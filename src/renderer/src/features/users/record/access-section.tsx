// The plan, the device limit and the allowed connections.
import { Checkbox, NativeSelect, SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { WholeNumberInput } from '../../../components/form/whole-number-input.tsx';
import { DrawerSection, Facts } from '../../../components/record-drawer.tsx';
import { useWholeList } from '../../../data/use-operation.ts';
import { EditableFact } from './editable-fact.tsx';
import classes from './record.module.css';
import type { RecordProps } from './record-context.tsx';

export function AccessSection({ user, refresh, plans }: RecordProps) {
  const { t } = useTranslation('users');
  const connections = useWholeList('listInbounds', {});
  const names = new Map((connections.data?.items ?? []).map(({ id, name }) => [id, name]));
  const allowed = user.inbounds;
  const choices = plans.all.filter(({ id, archived }) => !archived || id === user.tariff_id);
  return (
    <DrawerSection title={t('access.title')}>
      <Facts>
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('access.plan')}
          canUndo={false}
          shown={plans.getPlanName(user.tariff_id)}
          initial={() => ({ tariff_id: user.tariff_id === null ? '' : String(user.tariff_id) })}
          toPatch={({ tariff_id }) => ({ tariff_id: tariff_id === '' ? null : Number(tariff_id) })}
          fields={(form) => (
            <NativeSelect
              aria-label={t('access.plan')}
              description={form.getValues().tariff_id === '' ? t('access.detachHint') : t('access.planHint')}
              data={[
                ...choices.map(({ id, name }) => ({ value: String(id), label: name })),
                { value: '', label: t('noPlan') },
              ]}
              {...form.getInputProps('tariff_id')}
            />
          )}
        />
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('access.devices')}
          shown={user.device_limit ?? t('access.anyDevices')}
          initial={() => ({ device_limit: user.device_limit ?? ('' as number | '') })}
          toPatch={({ device_limit }) => ({ device_limit: device_limit === '' ? null : device_limit })}
          fields={(form) => (
            <WholeNumberInput
              aria-label={t('access.devices')}
              description={t('access.devicesHint')}
              min={1}
              max={100}
              {...form.getInputProps('device_limit')}
            />
          )}
        />
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('access.addresses')}
          shown={user.concurrent_limit ?? t('access.anyDevices')}
          initial={() => ({ concurrent_limit: user.concurrent_limit ?? ('' as number | '') })}
          toPatch={({ concurrent_limit: limit }) => ({ concurrent_limit: limit === '' ? null : limit })}
          fields={(form) => (
            <WholeNumberInput
              aria-label={t('access.addresses')}
              description={t('access.addressesHint')}
              min={1}
              max={100}
              {...form.getInputProps('concurrent_limit')}
            />
          )}
        />
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('access.connections')}
          shown={
            allowed === null
              ? t('access.allConnections')
              : allowed.length === 0
                ? t('access.noConnections')
                : allowed.map((id) => names.get(id) ?? t('connectionGone', { id })).join(', ')
          }
          initial={() => ({ isAll: allowed === null, inbounds: (allowed ?? []).map(String) })}
          toPatch={({ isAll, inbounds }) => ({ inbounds: isAll ? null : inbounds.map(Number) })}
          fields={(form) => {
            const { isAll } = form.getValues();
            return (
              <>
                <SegmentedControl
                  aria-label={t('access.connections')}
                  value={isAll ? 'all' : 'some'}
                  onChange={(value) => form.setFieldValue('isAll', value === 'all')}
                  data={[
                    { value: 'all', label: t('access.allConnections') },
                    { value: 'some', label: t('access.some') },
                  ]}
                />
                {!isAll && (
                  <Checkbox.Group aria-label={t('access.chooseConnections')} {...form.getInputProps('inbounds')}>
                    <div className={classes.checks}>
                      {[...names].map(([id, name]) => (
                        <Checkbox key={id} value={String(id)} label={name} />
                      ))}
                    </div>
                  </Checkbox.Group>
                )}
              </>
            );
          }}
        />
      </Facts>
    </DrawerSection>
  );
}
