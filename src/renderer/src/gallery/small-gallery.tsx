// Small components: states, figures, bars, buttons that copy, secrets, codes, toasts, a chart.
import { Button } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { PanelCallError } from '../../../contract/client.ts';
import { buildProblem } from '../../../contract/errors.ts';
import { KeyHint } from '../components/acts/key-hint.tsx';
import { Chart } from '../components/chart/chart.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Bytes, DateTime, RelativeTime } from '../components/figures.tsx';
import { FilterChips, FilterTabs } from '../components/filters.tsx';
import { Identity } from '../components/identity.tsx';
import { SectionCard } from '../components/page.tsx';
import { EmptyState, ErrorState } from '../components/placeholder.tsx';
import { QrCode } from '../components/qr-code.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { Mark, type State, StateBadge, StateDot } from '../components/state.tsx';
import { TrafficBar } from '../components/traffic-bar.tsx';
import { notify, notifyFailure } from '../state/messages.ts';
import classes from './gallery.module.css';

const STATES: readonly State[] = [
  'active',
  'on_hold',
  'limited',
  'expired',
  'disabled',
  'up',
  'down',
  'unknown',
  'archived',
];
const GB = 1_000_000_000;
const HOUR = 3_600_000;
const START = Date.parse('2026-11-19T11:00:00Z');
const MOMENTS = Array.from({ length: 24 }, (_, hour) => START + hour * HOUR);
const failure = new PanelCallError(buildProblem('internal', '0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2'));

export function SmallGallery() {
  return (
    <div className={classes.cards}>
      <SectionCard title="States">
        <div className={classes.stack}>
          <div className={classes.line}>
            {STATES.map((state) => (
              <StateDot key={state} state={state} />
            ))}
          </div>
          <div className={classes.line}>
            {STATES.map((state) => (
              <StateBadge key={state} state={state} />
            ))}
          </div>
          <div className={classes.line}>
            <Mark>family</Mark>
            <Mark tone="info">remote</Mark>
          </div>
        </div>
      </SectionCard>
      <SectionCard title="Traffic bars">
        <div className={classes.stack}>
          <TrafficBar used={1.4 * GB} limit={50 * GB} />
          <TrafficBar used={45 * GB} limit={50 * GB} />
          <TrafficBar used={51 * GB} limit={50 * GB} />
          <TrafficBar used={50 * GB} limit={50 * GB} extra={10 * GB} />
          <TrafficBar used={30 * GB} limit={50 * GB} extra={20 * GB} size="record" />
          <TrafficBar used={120 * GB} limit={null} />
        </div>
      </SectionCard>
      <SectionCard title="Figures">
        <div className={classes.stack}>
          <Identity name="Anna Smirnova" detail="@anna" href="#/small" />
          <Bytes value={1_400_000_000} />
          <DateTime at="2027-03-14T20:00:00.000Z" style="dateTime" />
          <RelativeTime at={Date.now() + 3 * 24 * HOUR + 60_000} />
          <RelativeTime at={null} none="Never" />
          <KeyHint keys="mod+k" />
        </div>
      </SectionCard>
      <SectionCard title="Filters">
        <div className={classes.stack}>
          <FilterTabs
            label="State"
            value="active"
            onChange={() => {}}
            items={[
              { value: '', label: 'All', count: 4312 },
              { value: 'active', label: 'Active', count: 3900 },
              { value: 'expired', label: 'Expired' },
            ]}
          />
          <FilterChips
            chips={[
              { id: 'tag', label: 'Tag: family', onRemove: () => {} },
              { id: 'plan', label: 'Plan: Month 50 GB', onRemove: () => {} },
            ]}
            onClear={() => {}}
          />
        </div>
      </SectionCard>
      <SectionCard title="Secrets">
        <div className={classes.stack}>
          <SecretOnce value="pnl_4k8JmQzV2hXb7Rt5Yw9Lc3Nd6Pf1Gs0AeUiOqTyDZx8" copyLabel="Copy the key" />
          <CopyButton value="https://example.com" label="Copy the link" />
          <QrCode value="https://example.com/sub/Zp3kVn0cQm6yT1uXw8RsLg" label="Anna's link" size={140} />
        </div>
      </SectionCard>
      <SectionCard title="Toasts">
        <div className={classes.line}>
          <Button onClick={() => notify({ text: 'Anna extended to 14 Mar 2027' })}>Say</Button>
          <Button onClick={() => notify({ text: 'Anna disabled', undo: async () => {} })}>With undo</Button>
          <Button color="red" onClick={() => notifyFailure(failure)}>
            Failure
          </Button>
        </div>
      </SectionCard>
      <SectionCard title="Chart">
        <Chart
          label="Traffic"
          step="hour"
          moments={MOMENTS}
          height={180}
          series={[
            {
              id: 'down',
              label: 'Received',
              color: 1,
              values: MOMENTS.map((_, hour) => (10 + 8 * Math.sin(hour / 4)) * GB),
            },
            { id: 'up', label: 'Sent', color: 'soft', values: MOMENTS.map(() => GB) },
          ]}
        />
      </SectionCard>
      <SectionCard title="Placeholders" flush>
        <EmptyState
          size="small"
          icon={<IconUsers size={20} stroke={1.5} />}
          title="No users yet"
          text="A user is a person with a link."
          action={<Button>Add a user</Button>}
        />
        <ErrorState size="small" failure={failure} onRetry={() => {}} />
      </SectionCard>
    </div>
  );
}
