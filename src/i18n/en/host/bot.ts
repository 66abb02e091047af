// What the Telegram bot says. HTML as Telegram reads it; what is put in is escaped.
export const bot = {
  commands: {
    start: 'My subscription',
    help: 'Help',
    language: 'Language',
    terms: 'Terms of sale',
    paysupport: 'Questions about a payment',
  },
  unknown: 'There is no subscription for this Telegram account yet.',
  unknownHint:
    'Ask the person who runs this service for a link to this bot that is yours. Your number at Telegram is <code>{{id}}</code>.',
  traffic: 'Traffic',
  term: 'Valid until',
  devices: 'Devices',
  link: 'Your link',
  linkHint: 'Press it to copy it, then paste it into the app. Anybody who has it can use your access: do not share it.',
  qrHint: 'Scan it with the app on the other device. Anybody who has the code can use your access.',
  chooseSystem: 'Which device is to be set up?',
  setUp: 'Set up: {{system}}',
  steps:
    '1. Install one of these apps; the first is the easiest.\n2. Copy your link: press it below.\n3. Open the app and add the link from the clipboard.',
  chooseLanguage: 'Language',
  help: 'Send /start to see your subscription.',
  support: 'If something does not work, write here: {{url}}',
  noSupport: 'If something does not work, write to the person who gave you this bot.',
  checkout: {
    selling_off: 'Nothing is sold here at the moment.',
    ended: 'This order is paid already, or is not sold any more. Nothing was charged.',
  },
  paid: {
    given: '{{amount}} received: {{offer}}. Thank you.',
    decision: '{{amount}} received. A person looks at this payment; do not pay a second time.',
  },
  terms:
    'You buy access for a time, or traffic, as it says on the button. It is yours as soon as the payment has arrived. The order shows what was paid and until when it is valid. For a refund, or if something does not work, send /paysupport.',
  paySupport: 'Questions about a payment? Say the number of the order and when you paid.',
  tie: {
    ended: 'This link was used, or is too old. Make a new one on the page of your subscription, or ask for one.',
    taken: 'This Telegram account has a subscription already. Ask the person who runs this service to change that.',
    other: 'This subscription has another Telegram account. Only the person who runs this service can change that.',
  },
  notice: {
    days_3: '{{service}}: your access ends in {{days}}, on {{end}}. Renew it in time to stay connected.',
    days_1: '{{service}}: your access ends soon, on {{end}}. Renew it to stay connected.',
    ended:
      '{{service}}: your access has ended. It goes on as soon as you renew it; the app and the link stay the same.',
    after: '{{service}}: your access ended on {{end}}. Renew it to connect again; the app and the link stay the same.',
    traffic_80: '{{service}}: {{used}} of {{total}} of your traffic is used, {{left}} is left.',
    traffic_100: '{{service}}: your traffic is used up ({{total}}).',
  },
  shop: {
    none: 'Nothing is sold here at the moment.',
    gone: 'There is no such order.',
    toProvider: 'To the payment',
    notice: {
      asked: 'The payment has not arrived yet. If you have paid, you are told as soon as it has.',
      failed: 'This way to pay does not answer at the moment. Try again, or choose another.',
      opening: 'The payment is being opened.',
      invoice: 'The invoice is below.',
      limit: 'That was too often. Try again in an hour.',
      off: 'Nothing is sold here at the moment.',
      changed: 'The offers have changed. Choose again.',
    },
  },
  buttons: {
    link: 'Link',
    qr: 'QR code',
    setUp: 'Set up a device',
    buy: 'Renew or add traffic',
    home: 'My subscription',
    language: 'Language',
    support: 'Support',
    refresh: 'Refresh',
    back: 'Back',
    hide: 'Hide',
    page: 'Open the page',
  },
} as const;
