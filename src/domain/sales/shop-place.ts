// The two places where users buy.

/** Where offers are sold. Telegram permits digital goods in its chats and Mini Apps only for Stars. https://core.telegram.org/bots/payments-stars */
export type ShopPlace = 'page' | 'telegram';

/** In the query of a page that is shown inside Telegram. */
export const IN_TELEGRAM = 'app';
/** In the query of such a page if it opens its invoice automatically. */
export const OPENS_INVOICE = 'invoice';
