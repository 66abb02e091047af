// Opens an invoice in Stars over a page of the Mini App, and then shows its result. Does what openInvoice of Telegram.WebApp does, without Telegram's
// script, whose host may be unreachable. https://core.telegram.org/api/web-events#web-app-open-invoice
import { IN_TELEGRAM, OPENS_INVOICE } from '../../domain/sales/shop-place.ts';

/** The slug of the invoice of a link; null: not a link to an invoice. */
export function findInvoiceSlug(link: string): string | null {
  return /^https:\/\/t\.me\/(?:\$|invoice\/)([\w=-]+)$/.exec(link)?.[1] ?? null;
}

export const INVOICE_SCRIPT = `
const TELEGRAM = 'https://web.telegram.org';
const native = window.TelegramWebviewProxy;
const isFramed = window.parent !== window;
const link = document.querySelector('[data-slug]');
const open = () => {
  const data = { slug: link.dataset.slug };
  if (native) native.postEvent('web_app_open_invoice', JSON.stringify(data));
  else window.parent.postMessage(JSON.stringify({ eventType: 'web_app_open_invoice', eventData: data }), TELEGRAM);
};
const receiveEvent = (type, data) => {
  if (type !== 'invoice_closed' || data?.slug !== link.dataset.slug) return;
  if (data.status === 'paid' || data.status === 'pending') location.replace(location.pathname + '?${IN_TELEGRAM}&back');
};
window.TelegramGameProxy_receiveEvent = receiveEvent;
window.TelegramGameProxy = { receiveEvent };
window.Telegram = { WebView: { receiveEvent } };
addEventListener('message', ({ source, origin, data }) => {
  if (source !== window.parent || origin !== TELEGRAM || typeof data !== 'string') return;
  try {
    const { eventType, eventData } = JSON.parse(data);
    receiveEvent(eventType, eventData);
  } catch {}
});
if (native || isFramed) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    open();
  });
  const words = location.search.slice(1).split('&');
  if (words.includes('${OPENS_INVOICE}')) {
    // Loaded again, the page does not open it again.
    history.replaceState(null, '', location.pathname + '?${IN_TELEGRAM}');
    open();
  }
}
`;
