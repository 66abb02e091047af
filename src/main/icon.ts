// The icon of the tray, drawn as the pages' favicon, within the bundle: it must be there whatever else is packed.
import type { NativeImage, nativeImage } from 'electron';
import { TRAY_TEMPLATES } from './tray-template.ts';

/** PNG, 32 by 32. */
const PNG = [
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAABU0lEQVR42mNgQAMh4df0gXg+EN8H4v9UwvehZuoz4AJASX4g7qei',
  'pbgwyA5+bJafp4PlMHwexRF08jlGSCDHOUma6xof/F+5+hUKBomR4Qh9BmjiIErDlGlP/7989fM/LgCSA6khwQHzGYhJ7XGJN/5f',
  'ufoFxTIQf9+B92CMTQ6kh5jcwUCM5ffuf4cbvmXrW6yGg8RAcjAA0kOMIwg6ANnQzu5HBA0EqUF2LEUOyMy5DTds3oLnRMctSC0M',
  'gMwg2wGg+IXFKakpHJYuQGaQ7QBYiseWskFBDcuC2KIGpAeWM8h2AAwg53FsOQJbygfpgQGKHYArUZ489QmMcSU6mjjgy5c/GIkS',
  'luhAcjR3AAwgBzeIjU8tTRxAidpRB4w6YNQBQ8cBoJINvXTDJkaqWnQH3B+AFjFKk2z+ADpgPlnNcipi/YHvmAyKrtmAd04HsnsO',
  'ABzbhjGiaIXqAAAAAElFTkSuQmCC',
].join('');

/**
 * The icon for this system. macOS colours it as its menu bar is, light or dark, of a black shape; a picture of one pixel a point would
 * be blurred on most of its screens.
 */
export function trayIcon(
  images: Pick<typeof nativeImage, 'createFromDataURL'>,
  platform: NodeJS.Platform,
): NativeImage {
  if (platform !== 'darwin') return images.createFromDataURL(urlOf(PNG));
  const [single, double] = TRAY_TEMPLATES;
  const icon = images.createFromDataURL(urlOf(single));
  icon.addRepresentation({ scaleFactor: 2, dataURL: urlOf(double) });
  icon.setTemplateImage(true);
  return icon;
}

function urlOf(png: string): string {
  return `data:image/png;base64,${png}`;
}
