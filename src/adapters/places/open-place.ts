// Opens a place of any kind. Client libraries are loaded with the first place of their kind.
import type { BackupPlace, PlaceAccess } from '../../core/ports/backup-places.ts';

export async function openPlace(access: PlaceAccess): Promise<BackupPlace> {
  if (access.kind === 's3') return (await import('./s3-place.ts')).openS3Place(access);
  if (access.kind === 'sftp') return (await import('./sftp-place.ts')).openSftpPlace(access);
  return (await import('./folder-place.ts')).openFolderPlace(access);
}
