// The panel's mark: a gate. Drawn once for the tab and the pages' heads.

const GATE = 'M4 27V14C4 8 9 4 16 4s12 4 12 10v13M4 27h5M23 27h5M11 27V15M16 27V14M21 27V15M7.5 20h17';

/** A picture of its own, for the tab. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#5c7cfa" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"><path d="${GATE}"/></svg>`;

/** The same in the colour of the text around it. */
export const MARK = `<svg class="mark" viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${GATE}"/></svg>`;
