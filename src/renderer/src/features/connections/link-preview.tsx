// The share link as it will be, while the form is filled in: written by the code that writes the real ones, for a made-up user.
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/copy-button.tsx';
import classes from './connections.module.css';
import { previewLink, type Values } from './values.ts';

interface LinkPreviewProps {
  readonly values: Values;
  readonly nodeAddress: string;
}

export function LinkPreview({ values, nodeAddress }: LinkPreviewProps) {
  const { t } = useTranslation('connections');
  const link = previewLink(values, nodeAddress);
  return (
    <section className={classes.preview} aria-label={t('preview.title')}>
      <header className={classes.previewHead}>
        <div>
          <h3>{t('preview.title')}</h3>
          <p className={classes.quiet}>{link === null ? t('preview.waits') : t('preview.hint')}</p>
        </div>
        {link !== null && <CopyButton value={link} label={t('preview.copy')} />}
      </header>
      {link !== null && (
        <code className={classes.link} dir="ltr">
          {link}
        </code>
      )}
    </section>
  );
}
