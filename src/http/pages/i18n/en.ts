// The English words of the plain pages; the keys of every other language are these.

export const en = {
  locale: 'en-GB',
  name: 'Name',
  password: 'Password',
  code: 'One-time code',
  codeHint: 'From your authenticator app, or a recovery code.',

  signIn: 'Sign in',
  signOut: 'Sign out',
  signedOut: 'You are signed out.',
  signInFailed: 'The name or the password is wrong.',
  signInFailedCode: 'The name, the password or the code is wrong.',
  vaultClosed: 'The secret store is locked, so the app’s code cannot be checked. A recovery code works.',
  slowDown: (seconds: number) =>
    seconds < 120
      ? `Too many failed attempts. Try again in ${seconds} s.`
      : `Too many failed attempts. Try again in ${Math.ceil(seconds / 60)} min.`,
  forgotPassword: 'Forgot the password? Set a new one on the panel’s machine:',

  noAdministrator: 'No administrator yet',
  noAdministratorHow:
    'The panel printed a setup link when it first started. It works once, for one hour. To get a new one, run on the panel’s machine:',

  setUp: 'Create the administrator',
  setUpWhy: 'The one account of this panel. It signs in here and makes the API keys.',
  setUpDo: 'Create administrator',
  passwordHint: 'At least 8 characters. A few words are easier to remember than symbols.',
  repeatPassword: 'Password again',
  nameWrong: 'Enter a name of 1 to 64 characters.',
  passwordWrong: 'Enter a password of 8 to 256 characters.',
  passwordsDiffer: 'The two passwords differ.',

  linkDead: 'This setup link no longer works',
  linkDeadHow: 'It was used, replaced, or is older than one hour. To get a new one, run on the panel’s machine:',
  linkDone: 'There is an administrator already.',
  toSignIn: 'To sign-in',

  api: 'API',
  baseUrl: 'Base URL',
  users: 'Users',
  usersOnline: (online: string) => `${online} online`,

  keys: 'API keys',
  noKeys: 'No keys yet. A key lets a bot, billing or monitoring use the API.',
  oldKeys: (count: number) => `Revoked and expired (${count})`,
  accessRead: 'Read',
  accessFull: 'Full',
  accessReadWhat: 'Sees users, plans and figures. No subscription links, no addresses.',
  accessFullWhat: 'Sees everything; creates, changes and deletes.',
  made: (when: string) => `made ${when}`,
  expires: (when: string) => `expires ${when}`,
  expired: (when: string) => `expired ${when}`,
  revoked: (when: string) => `revoked ${when}`,
  untilRevoked: 'until revoked',
  lastUsed: (when: string, from: string) => (from === '' ? `last used ${when}` : `last used ${when} from ${from}`),
  neverUsed: 'never used',
  revoke: 'Revoke',
  revokeWhat: 'Whatever uses this key is refused from its next request on. This cannot be undone.',
  revokeDo: (name: string) => `Revoke ${name}`,
  keyRevoked: 'Key revoked.',

  newKey: 'New key',
  keyNameHint: 'What it is for, as in “billing bot”.',
  keyNameWrong: 'Enter a name of 1 to 100 characters.',
  access: 'Access',
  expiry: 'Expires',
  days30: 'in 30 days',
  days90: 'in 90 days',
  days365: 'in a year',
  never: 'never, until revoked',
  yourPassword: 'Your password',
  yourPasswordHint: 'Making a key asks for it again.',
  wrongPassword: 'The password is wrong. No key was made.',
  wrongPasswordCode: 'The password or the code is wrong. No key was made.',
  createKey: 'Create key',

  keyMade: (name: string) => `Key “${name}” created`,
  keyMadeOnce: 'Copy it now. It is shown this once and stored nowhere.',
  keyValue: 'Key',
  tryIt: 'Try it in a terminal',
  backToKeys: 'Back to keys',

  sessions: 'Sessions',
  unknownDevice: 'Unknown device',
  thisOne: 'this one',
  signedIn: (when: string) => `signed in ${when}`,
  lastSeen: (when: string) => `last seen ${when}`,
  endSession: 'End',
  endSessionOf: (device: string) => `End the session on ${device}`,
  endOthers: 'End all others',
  sessionEnded: 'Session ended.',
  sessionsEnded: 'All other sessions ended.',
};

export type Words = typeof en;
