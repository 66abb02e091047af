// Creates users from a plan: one with all its fields, or many from pasted names.
import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../components/placeholder.tsx';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { buildHash } from '../../../router/route.ts';
import { CreateMany } from './create-many.tsx';
import { CreateOne } from './create-one.tsx';
import type { CreateDrawerProps } from './plan-field.tsx';

/** Mounted anew for each opening, so that it starts without former input. */
export function CreateDrawer({ isOpen, ...props }: CreateDrawerProps) {
  const { t } = useTranslation('users');
  const [kind, setKind] = useState('one');
  if (!isOpen) return null;
  if (!props.plans.isPending && props.plans.usable.length === 0) return <NoPlans onClose={props.onClose} />;
  const choice = (
    <SegmentedControl
      fullWidth
      aria-label={t('make.how')}
      value={kind}
      onChange={setKind}
      data={[
        { value: 'one', label: t('make.one') },
        { value: 'many', label: t('make.many') },
      ]}
    />
  );
  return kind === 'one' ? <CreateOne {...props} kind={choice} /> : <CreateMany {...props} kind={choice} />;
}

function NoPlans({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('users');
  return (
    <RecordDrawer isOpen onClose={onClose} title={t('make.title')} width={480}>
      <EmptyState
        title={t('emptyNoPlans')}
        action={
          <Button component="a" href={buildHash(['plans', 'new'])}>
            {t('makePlan')}
          </Button>
        }
      />
    </RecordDrawer>
  );
}
