// Runs before the first paint, so that the page never flashes in the other theme and says its language from the start.
// It also keeps zod from trying whether code made of text may run: the policy forbids it, and the browser would report the attempt.
// A file of its own because no script stands inside the page. What is kept here is how the panel looks, nothing of it.
(() => {
  // zod would try whether it may compile code, which the policy refuses, and reports.
  globalThis.__zod_globalConfig = { jitless: true };
  let view = {};
  try {
    view = JSON.parse(localStorage.getItem('gatehouse.view') ?? '{}').state ?? {};
  } catch {
    // Storage may be closed to us or hold something else: then the system's choice stands.
  }
  const isDark =
    view.theme === 'dark' || (view.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const root = document.documentElement;
  root.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
  if (view.locale) root.lang = view.locale;
})();

globalThis.__zod_globalConfig = { jitless: true };
