// Uploads a backup that is dropped onto the window and opens its restore preview, on any screen.
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { buildHash } from '../router/route.ts';
import { navigate } from '../router/router.ts';
import { setDropped } from '../state/dropped.ts';
import { notify } from '../state/messages.ts';
import classes from './drop-target.module.css';

const BACKUP = '.gatehouse-backup';

export function DropTarget() {
  const { t } = useTranslation('frame');
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // The event also fires between elements of the page; without `relatedTarget` the pointer has left the window.
    const onDragLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (document.documentElement.hasAttribute('data-locked')) return;
      const [file, ...others] = event.dataTransfer?.files ?? [];
      if (file === undefined || others.length > 0) return notify({ text: t('drop.several'), isRefusal: true });
      if (!file.name.endsWith(BACKUP)) {
        return notify({ text: t('drop.other', { name: file.name }), isRefusal: true });
      }
      setDropped(file);
      navigate(buildHash(['settings', 'backups']));
    };
    addEventListener('dragover', onDragOver);
    addEventListener('dragleave', onDragLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onDragOver);
      removeEventListener('dragleave', onDragLeave);
      removeEventListener('drop', onDrop);
    };
  }, [t]);
  return isOver ? <div className={classes.over}>{t('drop.hint')}</div> : null;
}
