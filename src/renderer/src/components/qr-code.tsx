// A QR code that every camera can read: dark on white in both themes, with its quiet zone.
import encodeQr from 'qr';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

interface QrCodeProps {
  readonly value: string;
  /** What it contains, for screen readers: "Anna's link". */
  readonly label: string;
  /** px */
  readonly size?: number;
}

/** White modules around the code, as its standard requires. */
const QUIET = 4;

export function QrCode({ value, label, size = 200 }: QrCodeProps) {
  const { t } = useTranslation('frame');
  const { side, path } = useMemo(() => draw(value), [value]);
  return (
    <svg
      role="img"
      aria-label={t('qr.label', { what: label })}
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
    >
      <rect width={side} height={side} rx={2} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}

function draw(value: string): { readonly side: number; readonly path: string } {
  const rows = encodeQr(value, 'raw', { ecc: 'medium', border: QUIET });
  let path = '';
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      let end = x;
      while (row[end + 1]) end += 1;
      path += `M${x} ${y}h${end - x + 1}v1H${x}z`;
      x = end;
    }
  });
  return { side: rows.length, path };
}

/** px of a module in the PNG file. */
const MODULE_PX = 8;

/** The QR code as a PNG file, for sending in a message. */
export async function drawQrPicture(value: string): Promise<Uint8Array<ArrayBuffer>> {
  const { side, path } = draw(value);
  const canvas = document.createElement('canvas');
  canvas.width = side * MODULE_PX;
  canvas.height = side * MODULE_PX;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser draws no pictures');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(MODULE_PX, MODULE_PX);
  context.fillStyle = '#000';
  context.fill(new Path2D(path));
  const file = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  return new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer(0));
}
