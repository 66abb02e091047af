// The reason why a form was not saved, beside its button; the input stays.
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../contract/client.ts';
import { useFailureText } from '../failure.ts';
import classes from './form.module.css';

interface FormFailureProps {
  readonly failure: PanelCallError | null;
  /** Loads the present values into the form, after a change by someone else. */
  readonly onReload?: (() => void) | undefined;
  /** Saves despite a change by someone else. */
  readonly onOverwrite?: (() => void) | undefined;
}

export function FormFailure({ failure, onReload, onOverwrite }: FormFailureProps) {
  const { t } = useTranslation(['frame', 'common']);
  const describeFailure = useFailureText();
  if (failure === null || failure.code === 'signed_out') return null;
  const { text, requestId } = describeFailure(failure);
  const isChanged = failure.code === 'precondition_failed';
  return (
    <div className={classes.failure} role="alert">
      <IconAlertTriangle size={16} stroke={1.5} aria-hidden />
      <div>
        <p className={classes.failureTitle}>{isChanged ? t('frame:form.changedTitle') : t('frame:form.failed')}</p>
        <p>{isChanged ? t('frame:form.changedText') : text}</p>
        {requestId !== null && !isChanged && (
          <code className={classes.id}>{t('common:requestId', { id: requestId })}</code>
        )}
        {isChanged && (
          <div className={classes.choices}>
            {onReload && (
              <Button variant="default" onClick={onReload}>
                {t('frame:form.seePresent')}
              </Button>
            )}
            {onOverwrite && (
              <Button variant="default" onClick={onOverwrite}>
                {t('frame:form.overwrite')}
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
