// Runs before the first paint, so that the page never flashes in the other theme and has its language from the start.
// A file of its own because the content security policy allows no inline script.
(() => {
  // Without this zod would try to compile code, which the policy refuses and reports.
  globalThis.__zod_globalConfig = { jitless: true };
  let view = {};
  try {
    view = JSON.parse(localStorage.getItem('gatehouse.view') ?? '{}').state ?? {};
  } catch {
    // Storage may be blocked or broken: then the system's preference applies.
  }
  const isDark =
    view.theme === 'dark' || (view.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const root = document.documentElement;
  root.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
  if (view.locale) root.lang = view.locale;
})();

globalThis.__zod_globalConfig = { jitless: true };
