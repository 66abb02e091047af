// The stand-in's Chromium does not know `app://`: its pages have an https address that never resolves instead.

export const APP = 'app://gatehouse';
/** RFC 2606: a name that never resolves. */
const PAGES = 'https://gatehouse.app.invalid';

export const toPage = (url: string) => (url.startsWith(APP) ? PAGES + url.slice(APP.length) : url);
export const fromPage = (url: string) => (url.startsWith(PAGES) ? APP + url.slice(PAGES.length) : url);
