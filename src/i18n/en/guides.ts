// Guides for the owner of a shop: from the contract with a payment provider to the first sale. Markdown: `## ` headings, lists, links, strong words and
// code. docs/payments.md has the same words.

export const guides = {
  stars: `
Buyers pay with Telegram Stars inside Telegram. It is the only way that Telegram permits for digital goods in its chats and Mini Apps.

## Contract and approval

None. You need a bot, and the buyers need Telegram. Telegram demands the commands \`/terms\` and \`/paysupport\`, which the bot of this panel has.

## Keys

1. Set up the bot under Settings, Telegram bot. Add the provider *Telegram Stars* and leave **Token of the bot** empty.
2. Enter a token only to be paid through another bot. That bot needs a program that answers Telegram within 10 seconds before each payment.

## Currency and smallest amount

Prices are in XTR and whole; the smallest is 1 Star. Other currencies are not converted: add a price in XTR to each offer.

## Receipts

Telegram issues none. Whether you owe one to the tax office does not depend on it.

## Webhooks and certificate

None are needed: the bot reads what Telegram reports. The Mini App needs a public name and a trusted certificate.

## Where the money arrives

The Stars are on the balance of the bot. Telegram holds them for some weeks; then its owner withdraws them as Toncoin through
[Fragment](https://fragment.com). The account of the owner needs two-step verification for that.

## Test purchase

1. Add an offer for 1 XTR with the audience *By link only*, and turn on *Sell through the enabled providers*.
2. In the record of a user of your own press **Request a payment**, and pay by the link in Telegram.
3. The order becomes *Paid* under Sales, Orders. Press **Refund**: the Star returns to your account.
`,
  crypto_pay: `
Buyers pay with cryptocurrency through the bot @CryptoBot, for prices in their usual currency.

## Contract and approval

None. Crypto Pay can suspend an app that breaks its rules; the panel then reports that the provider refuses.

## Keys

1. In [@CryptoBot](https://t.me/CryptoBot) open Crypto Pay, Create App, and copy the token into **API token**.
2. If you fill in the list of allowed addresses in the security settings of the app, it must have the public address of this panel.

## Currencies and smallest amounts

USD EUR RUB BYN UAH GBP CNY KZT UZS GEL TRY AMD THB INR BRL IDR AZN AED PLN ILS KGS TJS. Crypto Pay documents no smallest amounts.

## Receipts

It issues none.

## Webhooks

Open Crypto Pay, My Apps, your app, Webhooks, and enter the address that the form shows after **Receive webhooks from the provider** is on. There
is one type of event, and nothing to choose. The address needs a trusted certificate.

## Where the money arrives

In the wallet of the app inside @CryptoBot, in the coin that the buyer chose, less the fee. Withdraw it from there. Crypto Pay has no refunds: return
money by hand, and record it in the order.

## Test purchase

1. Create an app in [@CryptoTestnetBot](https://t.me/CryptoTestnetBot) and add its token as a provider. The panel recognizes the test network.
2. Request a payment from a user of your own, open the link, and pay with coins of the test network, which the bot gives away.
3. The order becomes *Paid*. Replace the token by that of the real app.
`,
  yookassa: `
Buyers in Russia pay by card, SBP and wallets, in roubles.

## Contract and approval

1. Apply at [yookassa.ru](https://yookassa.ru) as a company, a sole proprietor or a self-employed person, and sign the contract online.
2. YooKassa checks your site or bot: it must describe the goods, the prices and the terms. This takes some days. Until then only the test shop works.

## Keys

1. **shopId** is shown in the settings of the shop.
2. Create the **Secret key** under Integration, API keys. The test shop has a shopId and a key of its own.

## Currency and smallest amount

RUB, from 1 rouble.

## Receipts

If the shop sends receipts through YooKassa (54-FZ), enter the **VAT code for receipts** by your tax rate:

| code | rate | code | rate |
|---|---|---|---|
| 1 | no VAT | 7 | 5 % |
| 2 | 0 % | 8 | 7 % |
| 3 | 10 % | 9 | 5/105 |
| 4 | 20 % | 10 | 7/107 |
| 5 | 10/110 | 11 | 22 % |
| 6 | 20/120 | 12 | 22/122 |

Buyers are asked for an e-mail address, to which YooKassa sends the receipt. Without a VAT code a shop that must issue receipts is not saved.

## Webhooks

Under Integration, HTTP notifications, enter the address of the form and choose the events \`payment.succeeded\`, \`payment.canceled\` and
\`refund.succeeded\`. The address needs HTTPS with TLS 1.2 or newer.

## Where the money arrives

On the bank account of your contract, less the commission, usually on the next working day. Refunds are made from this panel.

## Test purchase

1. Add the test shop, and request a payment from a user of your own.
2. Pay with the card 5555 5555 5555 4477, any future date and any code.
3. The order becomes *Paid*, and is marked as a test. Press **Refund**, then replace shopId and key by those of the real shop.
`,
  stripe: `
Buyers pay by card, and by what else you turn on at Stripe, in most currencies.

## Contract and approval

1. Create an account at [stripe.com](https://stripe.com), and activate it: company or person, bank account, identity.
2. Enter a public business name under Settings, Business, Public details. Without one no payment page opens.
3. Stripe may restrict sellers of VPN access: read its list of restricted businesses first.

## Keys

1. Under Developers, API keys, press Create restricted key. A full secret key works as well, but may do more than it should.
2. Give it these permissions: Checkout Sessions: Write; Payment Intents: Read; Charges and Refunds: Write; Events: Read.
3. Enter it as **Secret key**. The panel tries each permission before it saves the key, and names what is missing.

## Currencies and smallest amounts

Your account decides which currencies it takes. The smallest amounts of the most usual ones: USD 0.50, EUR 0.50, GBP 0.30, CHF 0.50, PLN 2.00,
CZK 15.00, HUF 175.00, RON 2.00, SEK 3.00, NOK 3.00, DKK 2.50, AED 2.00, INR 0.50, JPY 50. Smaller prices are not offered there.

## Receipts

Stripe can send receipts by e-mail: Settings, Business, Customer emails. They are no receipts for a tax office.

## Webhooks

Under Developers, Webhooks, add the address of the form as an endpoint with these events, then enter its **Signing secret of the webhook**:

- \`checkout.session.completed\`, \`checkout.session.async_payment_succeeded\`
- \`checkout.session.async_payment_failed\`, \`checkout.session.expired\`
- \`charge.refunded\`, \`charge.refund.updated\`, \`refund.updated\`, \`refund.failed\`
- \`charge.dispute.created\`, \`charge.dispute.closed\`

The address needs a trusted certificate.

## Where the money arrives

On the balance of your Stripe account, and from there on your bank account by the schedule of payouts. Refunds are made from this panel.

## Test purchase

1. Turn on a sandbox, and add its key, which begins with \`sk_test_\` or \`rk_test_\`.
2. Request a payment from a user of your own, and pay with the card 4242 4242 4242 4242, any future date and any code.
3. The order becomes *Paid*, and is marked as a test. Press **Refund**, then replace the key by the live one.
`,
  heleket: `
Buyers pay with cryptocurrency on a page of Heleket, for prices in their usual currency.

## Contract and approval

1. Register at [heleket.com](https://heleket.com) and create a merchant for the domain of this panel.
2. Confirm the domain and wait for the moderation. Before that no invoice is opened.

## Keys

1. **Merchant ID** is in the settings of the merchant.
2. **Payment API key** is the payment key. The payout key is not needed, and should stay out of the panel.
3. **Accepted shortfall in percent**, 0 to 5: exchanges deduct a fee from what buyers send. With 0 a payment that is short by a cent needs a decision.

## Currencies and smallest amounts

All currencies but Stars. The smallest amount depends on the coin and its network; Heleket shows it to the buyer.

## Receipts

It issues none.

## Webhooks

Nothing is entered at Heleket: each invoice carries the address once **Receive webhooks from the provider** is on. The address needs a trusted
certificate.

## Where the money arrives

On the balance of the merchant, less the fee; withdraw it from there. Refunds go to an address that the buyer names, and are made at Heleket by hand.
Coins that it holds back for a check need attention in the panel.

## Test purchase

1. Heleket has no test mode. Add an offer for the smallest amount of a cheap network, with the audience *By link only*.
2. Request a payment from a user of your own, and pay it from a wallet rather than from an exchange.
3. The order becomes *Paid* after the confirmations of the network.
`,
  webhooks: `
No payment depends on webhooks: the panel polls each open order. A webhook only makes it poll at once instead of within a minute.

## What is needed

- An address at which the provider reaches the links of this panel: a public name or address, and an open port (Settings, Addresses).
- A certificate that is trusted everywhere (Settings, Certificates). The own authority of this panel is not: providers drop the connection.
- Telegram Stars have no webhooks: the bot reads what happened.

## Turn them on

1. Open the provider under Settings, Payments, and turn on **Receive webhooks from the provider**.
2. Copy the address and enter it at the provider; the guide of each provider says where, and which events to choose.
3. For Stripe enter the signing secret in the form afterwards.

The address has a random part and is not shown elsewhere. Turning webhooks off and on makes another one. What arrives is never trusted: it only
selects which payment the panel asks the provider about.

## If nothing arrives

- The provider's log of deliveries shows the reply. \`200\`: it was understood. \`400\`: the signature or the payment is unknown, so the signing
  secret may be wrong. \`404\`: the address is an old one. \`429\`: too many at once; the provider repeats it.
- No reply at all: the port is closed, or the certificate is not trusted.

## Test purchase

1. Make the test purchase of the provider's guide, and pay.
2. The order becomes *Paid* within seconds, also if you close the payment page without returning.
3. The provider's log shows the delivery with the reply \`200\`.
`,
};
