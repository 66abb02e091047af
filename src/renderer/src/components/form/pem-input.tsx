// A certificate or a key in PEM, typed or loaded from a file, and the texts of the panel's refusals.
import { FileButton, Textarea } from '@mantine/core';
import { IconFile } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { settings } from '../../../../i18n/en/pages/settings.ts';
import classes from './pem-input.module.css';

interface PemInputProps {
  readonly label: string;
  readonly hint: string;
  readonly inputProps: object;
  readonly onFile: (text: string) => void;
}

export function PemInput({ label, hint, inputProps, onFile }: PemInputProps) {
  const { t } = useTranslation('settings');
  return (
    <div>
      <Textarea
        label={label}
        description={hint}
        placeholder="-----BEGIN …"
        autosize
        minRows={4}
        maxRows={10}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes.pem ?? '' }}
        {...inputProps}
      />
      <FileButton accept=".pem,.crt,.cer,.key" onChange={(file) => void file?.text().then(onFile)}>
        {(props) => (
          <button type="button" className={classes.file} {...props}>
            <IconFile size={16} stroke={1.5} aria-hidden />
            {t('certificates.form.file')}
            <span className="visually-hidden">: {label}</span>
          </button>
        )}
      </FileButton>
    </div>
  );
}

// The panel's reasons to refuse a certificate or key; their texts are under `settings:certificates.wrong`.

type PemRefusal = keyof (typeof settings)['certificates']['wrong'];

const REFUSALS: Readonly<Record<PemRefusal, true>> = {
  not_pem: true,
  too_many: true,
  unreadable: true,
  encrypted: true,
  authority: true,
  ended: true,
  not_yet: true,
  no_names: true,
  weak: true,
  unsupported: true,
  broken_chain: true,
  chain_ended: true,
  key_mismatch: true,
  unusable: true,
};

export function isPemRefusal(code: string): code is PemRefusal {
  return Object.hasOwn(REFUSALS, code);
}
