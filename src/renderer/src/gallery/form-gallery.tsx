// Drawers, forms and questions. Names that are refused: `taken`, `changed` (by another), `busy` (too many requests).
import { Button, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Duration } from '../../../domain/users/term.ts';
import { Confirm, ConfirmByName } from '../components/confirm.tsx';
import { BytesInput } from '../components/form/bytes-input.tsx';
import { FieldRow, FormDrawer } from '../components/form/form-drawer.tsx';
import { TermInput } from '../components/form/term-input.tsx';
import { useOperationForm } from '../components/form/use-operation-form.ts';
import { SectionCard } from '../components/page.tsx';
import { DrawerSection, Fact, Facts, RecordDrawer } from '../components/record-drawer.tsx';
import { StateBadge } from '../components/state.tsx';
import { TrafficBar } from '../components/traffic-bar.tsx';
import classes from './gallery.module.css';

type Open = 'record' | 'form' | 'confirm' | 'by-name' | null;

export function FormGallery() {
  const [open, setOpen] = useState<Open>(null);
  const [bytes, setBytes] = useState<number | null>(50_000_000_000);
  const [term, setTerm] = useState<Duration | null>({ months: 1 });
  const close = () => setOpen(null);
  return (
    <div className={classes.cards}>
      <SectionCard title="Open">
        <div className={classes.line}>
          <Button onClick={() => setOpen('record')}>Record</Button>
          <Button onClick={() => setOpen('form')}>Form</Button>
          <Button onClick={() => setOpen('confirm')}>Question</Button>
          <Button onClick={() => setOpen('by-name')}>By name</Button>
        </div>
      </SectionCard>
      <SectionCard title="Fields">
        <div className={classes.stack}>
          <BytesInput label="Traffic" placeholder="Unlimited" value={bytes} onChange={setBytes} />
          <output data-testid="bytes">{String(bytes)}</output>
          <TermInput label="Term" placeholder="Never ends" value={term} onChange={setTerm} />
          <output data-testid="term">{JSON.stringify(term)}</output>
        </div>
      </SectionCard>
      <RecordDrawer
        isOpen={open === 'record'}
        onClose={close}
        title="Anna Smirnova"
        subtitle={
          <>
            <StateBadge state="active" /> @anna
          </>
        }
      >
        <DrawerSection title="Traffic">
          <TrafficBar used={30e9} limit={50e9} extra={20e9} size="record" />
        </DrawerSection>
        <DrawerSection title="Term">
          <Facts>
            <Fact label="Expires">14 Mar 2027</Fact>
            <Fact label="Plan">Month 50 GB</Fact>
          </Facts>
        </DrawerSection>
      </RecordDrawer>
      <NodeForm isOpen={open === 'form'} onClose={close} />
      <Confirm
        isOpen={open === 'confirm'}
        onClose={close}
        title="Reissue the link"
        action="Reissue"
        onConfirm={async () => {}}
      >
        The old link and Anna's current connections stop working at once.
      </Confirm>
      <ConfirmByName
        isOpen={open === 'by-name'}
        onClose={close}
        title="Delete Anna Smirnova"
        action="Delete"
        name="Anna Smirnova"
        onConfirm={async () => {}}
      >
        Her link stops working at once. This cannot be undone.
      </ConfirmByName>
    </div>
  );
}

function NodeForm({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const form = useOperationForm({
    operation: 'createNode',
    initial: { name: '', address: '', enabled: true },
    toInput: (values) => values,
    message: ({ name }) => ({ text: `${name} added` }),
    onDone: onClose,
  });
  return (
    <FormDrawer isOpen={isOpen} onClose={onClose} title="Add a node" action="Add" form={form}>
      <FieldRow>
        <TextInput label="Name" {...form.form.getInputProps('name')} />
        <TextInput label="Address" {...form.form.getInputProps('address')} />
      </FieldRow>
      <Switch label="Enabled" {...form.form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDrawer>
  );
}
