// Settings, General: name, language and time zone of the panel, notices before the end of a term, retention of records, the engine of local nodes,
// and the units of this browser.
import { Input, NumberInput, SegmentedControl, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PanelSettings } from '../../../../../contract/settings/settings.ts';
import { LANGUAGES } from '../../../../../i18n/languages.ts';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { changeView, type Units, useView } from '../../../state/view.ts';
import { Reading } from '../parts/parts.tsx';

export function GeneralSection() {
  const { t } = useTranslation('settings');
  const settings = useOperation('getPanelSettings', {});
  return (
    <Reading title={t('general.title')} query={settings} height={200}>
      {(data) => (
        <>
          <GeneralCard settings={data} />
          <ViewCard />
          <NoticesCard settings={data} />
          <CutOffCard settings={data} />
          <LineCard settings={data} />
          <RetentionCard settings={data} />
          <EngineCard settings={data} />
        </>
      )}
    </Reading>
  );
}

function GeneralCard({ settings }: { readonly settings: PanelSettings }) {
  const { t } = useTranslation('settings');
  const { panel_title, language, time_zone } = settings;
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { panel_title, language, time_zone },
    toInput: (values) => values,
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('general.title')} description={t('general.description')} form={form}>
      <TextInput
        label={t('general.panelTitle')}
        description={t('general.panelTitleHint')}
        {...form.form.getInputProps('panel_title')}
      />
      <Select
        label={t('general.language')}
        description={t('general.languageHint')}
        allowDeselect={false}
        data={LANGUAGES.map(({ code, name }) => ({ value: code, label: name }))}
        {...form.form.getInputProps('language')}
      />
      <Select
        label={t('general.timeZone')}
        description={t('general.timeZoneHint')}
        searchable
        allowDeselect={false}
        limit={100}
        data={zones(time_zone)}
        {...form.form.getInputProps('time_zone')}
      />
    </SaveCard>
  );
}

/** Time zones that the browser supports, UTC, and the present one. */
function zones(present: string): string[] {
  return [...new Set([present, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

const UNITS: readonly Units[] = ['decimal', 'binary'];

/** The units, which each browser stores for itself. Theme and language are in the top bar. */
function ViewCard() {
  const { t } = useTranslation(['settings', 'frame']);
  const units = useView((view) => view.units);
  return (
    <SectionCard title={t('settings:general.here')} description={t('settings:general.hereText')}>
      <Input.Wrapper label={t('frame:units.label')} labelElement="div">
        <div>
          <SegmentedControl
            aria-label={t('frame:units.label')}
            value={units}
            onChange={(value) => changeView({ units: value })}
            data={UNITS.map((value) => ({ value, label: t(`frame:units.${value}`) }))}
          />
        </div>
      </Input.Wrapper>
    </SectionCard>
  );
}

function NoticesCard({ settings }: { readonly settings: PanelSettings }) {
  const { t } = useTranslation('settings');
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { expiring_notice_days: settings.expiring_notice_days.map(String) },
    // A text that is not a number becomes NaN, which is refused at the field.
    toInput: ({ expiring_notice_days: days }) => ({ expiring_notice_days: days.map(Number) }),
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('general.notices')} description={t('general.noticesText')} form={form}>
      <TagsInput
        label={t('general.noticeDays')}
        description={t('general.noticeDaysHint')}
        inputMode="numeric"
        {...form.form.getInputProps('expiring_notice_days')}
      />
    </SaveCard>
  );
}

function CutOffCard({ settings }: { readonly settings: PanelSettings }) {
  const { t } = useTranslation('settings');
  const { restart_to_cut_off, cut_off_concurrent } = settings;
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { restart_to_cut_off, cut_off_concurrent },
    toInput: (values) => values,
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('general.cutOff')} description={t('general.cutOffText')} form={form}>
      <Switch
        label={t('general.restart')}
        description={t('general.restartHint')}
        {...form.form.getInputProps('restart_to_cut_off', { type: 'checkbox' })}
      />
      <Switch
        label={t('general.concurrent')}
        description={t('general.concurrentHint')}
        {...form.form.getInputProps('cut_off_concurrent', { type: 'checkbox' })}
      />
    </SaveCard>
  );
}

function LineCard({ settings }: { readonly settings: PanelSettings }) {
  const { t } = useTranslation('settings');
  const { node_line_gbps } = settings;
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { node_line_gbps },
    toInput: (values) => values,
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('general.line')} description={t('general.lineText')} form={form}>
      <NumberInput
        label={t('general.lineSpeed')}
        description={t('general.lineSpeedHint')}
        allowDecimal={false}
        {...form.form.getInputProps('node_line_gbps')}
      />
    </SaveCard>
  );
}

function EngineCard({ settings }: { readonly settings: PanelSettings }) {
  const { t } = useTranslation('settings');
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { engine_path: settings.engine_path ?? '' },
    toInput: ({ engine_path }) => ({ engine_path: engine_path.trim() === '' ? null : engine_path.trim() }),
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('general.engine')} description={t('general.engineText')} form={form}>
      <TextInput
        label={t('general.enginePath')}
        description={t('general.enginePathHint')}
        placeholder="/usr/local/bin/xray"
        spellCheck={false}
        {...form.form.getInputProps('engine_path')}
      />
    </SaveCard>
  );
}

function RetentionCard({ settings }: { readonly settings: PanelSettings }) {
  const { t } = useTranslation('settings');
  const { events_kept_days, audit_kept_days } = settings;
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { events_kept_days, audit_kept_days },
    toInput: (values) => values,
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('general.kept')} description={t('general.keptText')} form={form}>
      <NumberInput
        label={t('general.events')}
        description={t('general.eventsHint')}
        allowDecimal={false}
        {...form.form.getInputProps('events_kept_days')}
      />
      <NumberInput label={t('general.audit')} allowDecimal={false} {...form.form.getInputProps('audit_kept_days')} />
    </SaveCard>
  );
}
