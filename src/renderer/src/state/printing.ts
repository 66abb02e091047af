// Whether the page is being printed: its theme is then light, and its lists have all rows.
import { create } from 'zustand';

/** Longer lists are cut off at this many rows, with a note. */
export const MAX_PRINTED = 1000;

export const usePrinting = create<{ readonly isOn: boolean }>()(() => ({ isOn: false }));

const LOOK_EVERY_MS = 50;
/** Rows that are not loaded after this many checks are printed empty. */
const MAX_LOOKS = 400;

/** Prepares the page, calls `print` when all rows are loaded, and restores the page. */
export async function whilePrinting<Printed>(print: () => Promise<Printed>): Promise<Printed> {
  usePrinting.setState({ isOn: true });
  try {
    for (let look = 0; look < MAX_LOOKS; look++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      if (document.querySelector('[data-waiting], [aria-busy="true"]') === null) break;
    }
    return await print();
  } finally {
    usePrinting.setState({ isOn: false });
  }
}
