// Backups as files between this browser and the panel: beside the operations, by the panel door's own routes.
import type { Backup } from '../../../../../contract/backups.ts';
import { isProblem, PanelCallError } from '../../../../../contract/client.ts';
import { problemOf } from '../../../../../contract/errors.ts';

function placeOf(name = ''): string {
  return new URL(`./panel/backups/${encodeURIComponent(name)}`, document.baseURI).href;
}

/** Where a link downloads a backup from. */
export function downloadUrl(name: string): string {
  return placeOf(name);
}

/** Sends a file; `onProgress` hears of the part of 1 that is sent. Rejects with a PanelCallError. */
export function uploadBackup(file: Blob, onProgress: (part: number) => void): Promise<Backup> {
  // A fetch cannot tell how far it is.
  const request = new XMLHttpRequest();
  request.open('POST', placeOf());
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.setRequestHeader('Accept', 'application/json');
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const reply = parse(request.responseText);
      if (request.status === 201) resolve(reply as Backup);
      else reject(new PanelCallError(isProblem(reply) ? reply : problemOf('unavailable', 'none')));
    };
    request.onerror = () => reject(new PanelCallError(problemOf('unavailable', 'none')));
    request.send(file);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
