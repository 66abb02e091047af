// Whether the page is being printed: it is light then, and its lists have more rows than fit on the screen.
import { create } from 'zustand';

/** Longer lists are printed so far, and say so. */
export const MAX_PRINTED = 1000;

export const usePrinting = create<{ readonly isOn: boolean }>()(() => ({ isOn: false }));

const LOOK_EVERY_MS = 50;
/** Rows that are not there after so many looks are printed as empty ones. */
const MAX_LOOKS = 400;

/** Prepares the page, prints it when all its rows are loaded, and brings the screen back. */
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
