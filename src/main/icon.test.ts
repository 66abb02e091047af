import { expect, it } from 'vitest';
import { trayIcon } from './icon.ts';

/** What the image of a platform was made of. */
function drawn(platform: NodeJS.Platform) {
  const pictures: { readonly scale: number; readonly width: number; readonly url: string }[] = [];
  const add = (scale: number, url = '') => {
    const png = Buffer.from(url.replace('data:image/png;base64,', ''), 'base64');
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    pictures.push({ scale, width: png.readUInt32BE(16), url });
  };
  let isTemplate = false;
  const image = {
    addRepresentation: ({ scaleFactor = 1, dataURL }: { scaleFactor?: number; dataURL?: string }) =>
      add(scaleFactor, dataURL),
    setTemplateImage(is: boolean) {
      isTemplate = is;
    },
  };
  const createFromDataURL = (url: string) => {
    add(1, url);
    return image as never;
  };
  expect(trayIcon({ createFromDataURL }, platform)).toBe(image);
  return { pictures, isTemplate };
}

it.each(['linux', 'win32'] as const)('is the coloured icon on %s', (platform) => {
  const { pictures, isTemplate } = drawn(platform);
  expect([pictures.map(({ scale, width }) => [scale, width]), isTemplate]).toEqual([[[1, 32]], false]);
});

it('is a shape on macOS, sharp on either kind of screen, which the menu bar colours', () => {
  const { pictures, isTemplate } = drawn('darwin');
  expect(pictures.map(({ scale, width }) => [scale, width])).toEqual([
    [1, 18],
    [2, 36],
  ]);
  expect(isTemplate).toBe(true);
  expect(pictures[0]?.url).not.toBe(drawn('linux').pictures[0]?.url);
});
