// Gives names to what swagger-ui leaves without one, and takes away what misleads, for who cannot see the page.

const UNNAMED = 'select:not([aria-label]), input:not([aria-label]):not([type=checkbox]), textarea:not([aria-label])';

/** Looks after everything below a node until the returned function is called. */
export function nameControls(node: HTMLElement): () => void {
  const look = () => {
    for (const control of node.querySelectorAll<HTMLElement>(UNNAMED)) {
      control.setAttribute('aria-label', nameOf(control));
    }
    // Each table of answers would be a landmark, all of one name.
    for (const table of node.querySelectorAll('table[role=region]')) table.removeAttribute('role');
    // A keyboard must be able to scroll what is higher than its box.
    for (const text of node.querySelectorAll('pre:not([tabindex])')) text.setAttribute('tabindex', '0');
  };
  const observer = new MutationObserver(look);
  observer.observe(node, { childList: true, subtree: true });
  look();
  return () => observer.disconnect();
}

/** swagger-ui is written in English, and so are these. */
function nameOf(control: HTMLElement): string {
  const parameter = control.closest<HTMLElement>('tr[data-param-name]')?.dataset.paramName;
  if (parameter !== undefined) return parameter;
  if (control.matches('.examples-select-element')) return 'Example';
  if (control.closest('.content-type-wrapper, .response-control-media-type') !== null) return 'Media type';
  return control.matches('textarea') ? 'Body' : 'Value';
}
