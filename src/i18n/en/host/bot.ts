// What the Telegram bot says. HTML as Telegram reads it; what is put in is escaped.
export const bot = {
  commands: {
    start: 'My subscription',
    help: 'Help',
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
  paid: '⭐ {{stars}} received. Thank you.',
  buttons: {
    link: 'Link',
    qr: 'QR code',
    setUp: 'Set up a device',
    language: 'Language',
    support: 'Support',
    refresh: 'Refresh',
    back: 'Back',
    hide: 'Hide',
    page: 'Open the page',
  },
} as const;
