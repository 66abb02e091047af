// Where the window was, made to fit the screens of today: one that was unplugged must not keep the window out of sight.
import type { Rectangle } from 'electron';

export interface WindowState {
  readonly bounds: Rectangle | null;
  readonly isMaximized: boolean;
  /** Electron's zoom level: 0 is 100%. */
  readonly zoom: number;
}

const WIDTH = 1280;
const HEIGHT = 860;
export const SMALLEST = { width: 480, height: 480 };
/** px of the title bar that must be on a screen to take hold of. */
const HANDLE = 80;

/** The bounds to open with. `areas` are the screens' work areas, the main one first. */
export function fitBounds(bounds: Rectangle | null, areas: readonly Rectangle[]): Rectangle {
  const main = areas[0] ?? { x: 0, y: 0, width: WIDTH, height: HEIGHT };
  const home = bounds === null ? undefined : areas.find((area) => isWithinReach(bounds, area));
  if (bounds === null || home === undefined) return centred(main);
  const width = clamp(bounds.width, SMALLEST.width, home.width);
  const height = clamp(bounds.height, SMALLEST.height, home.height);
  return {
    x: clamp(bounds.x, home.x, home.x + home.width - width),
    y: clamp(bounds.y, home.y, home.y + home.height - height),
    width,
    height,
  };
}

/** Whether enough of the title bar is on the screen. */
function isWithinReach({ x, y, width }: Rectangle, area: Rectangle): boolean {
  const visible = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return visible >= HANDLE && y >= area.y - HANDLE && y <= area.y + area.height - HANDLE;
}

function centred(area: Rectangle): Rectangle {
  const width = Math.min(WIDTH, area.width);
  const height = Math.min(HEIGHT, area.height);
  return {
    x: area.x + Math.floor((area.width - width) / 2),
    y: area.y + Math.floor((area.height - height) / 2),
    width,
    height,
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.round(Math.max(least, Math.min(value, Math.max(least, most))));
}
