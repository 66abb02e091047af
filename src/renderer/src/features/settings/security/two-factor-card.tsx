// Turns the second factor on and off, and renews its recovery codes.
import { Button } from '@mantine/core';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { RecoveryCodes } from '../../../components/credentials/recovery-codes.tsx';
import { TwoFactorEnrol } from '../../../components/credentials/two-factor-enrol.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { StateDot } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { notify } from '../../../state/messages.ts';
import { Notice, Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';

/** With this many recovery codes or fewer, new ones are recommended. */
const FEW_CODES = 3;

export function TwoFactorCard() {
  const { t } = useTranslation('settings');
  const factor = useOperation('getTwoFactor', {});
  return (
    <Reading title={t('security.factor.title')} query={factor} height={56}>
      {(data) => <Factor factor={data} />}
    </Reading>
  );
}

type Step = 'enrol' | 'disable' | 'renew' | null;

function Factor({ factor: { enabled, enabled_at, recovery_codes_left } }: { readonly factor: Output<'getTwoFactor'> }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const [step, setStep] = useState<Step>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const disable = useAct('disableTwoFactor', { message: () => ({ text: t('security.factor.disabled') }) });
  const renew = useAct('renewRecoveryCodes', { onDone: ({ recovery_codes }) => setCodes(recovery_codes) });
  const closeStep = () => setStep(null);
  const isShown = step !== 'enrol' && codes === null;
  const acts = useRef<HTMLSpanElement>(null);
  useFocusAfter(acts, `${isShown} ${enabled}`);
  return (
    <SectionCard
      title={t('security.factor.title')}
      description={t('security.factor.description')}
      actions={
        isShown ? (
          <span ref={acts} className={rows.acts}>
            <Acts isOn={enabled} onStep={setStep} />
          </span>
        ) : undefined
      }
    >
      {step === 'enrol' && (
        <div className={rows.narrow}>
          <TwoFactorEnrol
            onCancel={closeStep}
            onDone={() => {
              closeStep();
              notify({ text: t('security.factor.enabled') });
            }}
          />
        </div>
      )}
      {codes !== null && (
        <div className={rows.narrow}>
          <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />
        </div>
      )}
      {isShown && (
        <div className={rows.stack}>
          <p className={rows.rowFacts}>
            <StateDot
              state={enabled ? 'enabled' : 'disabled'}
              label={
                enabled_at === null
                  ? t('security.factor.off')
                  : t('security.factor.on', { when: format.moment(enabled_at, 'dateLong') })
              }
            />
            {enabled && <span>{t('security.factor.codes', { count: recovery_codes_left })}</span>}
            {!enabled && <span>{t('security.factor.offText')}</span>}
          </p>
          {enabled && recovery_codes_left <= FEW_CODES && <Notice tone="warn">{t('security.factor.few')}</Notice>}
        </div>
      )}
      <Confirm
        isOpen={step === 'disable'}
        onClose={closeStep}
        title={t('security.factor.disableTitle')}
        action={t('security.factor.disable')}
        isDangerous
        onConfirm={() => disable.run({})}
      >
        <p>{t('security.factor.disableText')}</p>
      </Confirm>
      <Confirm
        isOpen={step === 'renew'}
        onClose={closeStep}
        title={t('security.factor.renewTitle')}
        action={t('security.factor.renewSubmit')}
        onConfirm={() => renew.run({})}
      >
        <p>{t('security.factor.renewText')}</p>
      </Confirm>
    </SectionCard>
  );
}

/** After a step, focuses the next action if the focused element has disappeared. */
function useFocusAfter(acts: RefObject<HTMLElement | null>, step: string): void {
  const last = useRef(step);
  useEffect(() => {
    if (last.current === step) return;
    last.current = step;
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body) acts.current?.querySelector('button')?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [acts, step]);
}

interface ActsProps {
  readonly isOn: boolean;
  readonly onStep: (step: Step) => void;
}

function Acts({ isOn, onStep }: ActsProps) {
  const { t } = useTranslation('settings');
  if (!isOn) return <Button onClick={() => onStep('enrol')}>{t('security.factor.enable')}</Button>;
  return (
    <>
      <Button variant="default" onClick={() => onStep('renew')}>
        {t('security.factor.renew')}
      </Button>
      <Button variant="default" onClick={() => onStep('disable')}>
        {t('security.factor.disable')}
      </Button>
    </>
  );
}
