// The drawer of an offer or promo code: saves it, or deletes it after a confirmation.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Confirm } from '../../components/confirm.tsx';
import { FormDrawer, type FormDrawerProps } from '../../components/form/form-drawer.tsx';

interface SaleFormProps extends Pick<FormDrawerProps, 'isOpen' | 'onClose' | 'title' | 'form'> {
  readonly deletion: {
    readonly act: string;
    readonly title: string;
    readonly text: string;
    readonly run: () => Promise<unknown>;
  };
  readonly children: ReactNode;
}

export function SaleForm({ isOpen, deletion, children, ...rest }: SaleFormProps) {
  const { t } = useTranslation('common');
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <FormDrawer
        {...rest}
        isOpen={isOpen}
        isOfList
        actions={
          <Tooltip label={deletion.act}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={deletion.act}
              onClick={() => setAsking(true)}
            >
              <IconTrash size={18} stroke={1.5} />
            </ActionIcon>
          </Tooltip>
        }
        action={t('save')}
      >
        {children}
      </FormDrawer>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={deletion.title}
        action={deletion.act}
        isDangerous
        onConfirm={deletion.run}
      >
        <p>{deletion.text}</p>
      </Confirm>
    </>
  );
}
