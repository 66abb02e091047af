// The shell in English.

export const english = {
  open: 'Open Gatehouse',
  quit: 'Quit Gatehouse',
  edit: 'Edit',
  view: 'View',
  window: 'Window',
  help: 'Help',
  file: 'File',
  closeWindow: 'Close window',
  undo: 'Undo',
  redo: 'Redo',
  cut: 'Cut',
  copy: 'Copy',
  paste: 'Paste',
  selectAll: 'Select all',
  reload: 'Reload the window',
  actualSize: 'Actual size',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fullScreen: 'Full screen',
  minimize: 'Minimize',
  settings: 'Settings',
  apiDocs: 'API documentation',
  openDataFolder: 'Open the data folder',
  about: 'About Gatehouse',

  serving: 'Serving at {address}',
  stopped: 'The panel is not running',
  online: 'Users online: {count}',
  today: 'Traffic today: {amount}',
  copyBaseUrl: 'Copy base_url',
  pauseApi: 'Pause the API',
  paused: 'The API is paused; links go on',

  traySaid: 'Gatehouse goes on serving',
  traySaidDetail:
    'The window is closed, but the panel keeps answering its API and subscription links. Its icon in the tray brings the window back; where there is no tray, start Gatehouse again. Whether it does so is a choice in Settings, This computer.',
  keepServing: 'Keep serving',

  portTaken: 'The port is taken',
  anotherPort: 'Use another port this time',
  anotherPortDetail:
    'Addresses that bots and users know keep the usual port. It can be changed in Settings, Addresses.',
  tryAgain: 'Try again',
  cannotStart: 'Gatehouse cannot start',

  rendererGone: 'The window has failed',
  rendererGoneDetail: 'The panel goes on serving; nothing is lost but what was being typed. ({reason})',
  unresponsive: 'The window does not answer',
  unresponsiveDetail: 'The panel goes on serving. Wait for the window, or load it anew.',
  reloadNow: 'Load it anew',
  wait: 'Wait',

  crashed: 'Gatehouse ended unexpectedly',
  crashedDetail: 'That was on {at}: {message}. What was acknowledged is kept. The log has the details: {log}',
  ok: 'OK',

  reopened: 'The panel had to be restarted',
  reopenedDetail: 'It stopped answering and was opened again: {reason}',
  notReopened: 'The panel has stopped',

  nodeDown: 'Node {name} does not answer',
  nodeUp: 'Node {name} answers again',
  userLimited: '{name} has used all traffic',
  backupFailed: 'The backup failed',
  openIt: 'Select to open it.',

  checkForUpdates: 'Check for updates…',
  updateFound: 'Gatehouse {version} is available',
  updateFoundDetail: 'It is downloaded in the background; the panel goes on serving. You choose when it is installed.',
  downloadUpdate: 'Download',
  skipVersion: 'Skip this version',
  notNow: 'Not now',
  updateReady: 'Gatehouse {version} is ready',
  updateReadyDetail:
    'To install it, the panel stops for as long as a restart takes. Running requests are finished first; nothing is lost.',
  restartNow: 'Restart now',
  whenQuitting: 'When I quit',
  newestVersion: 'This is the newest version',
  newestVersionDetail: 'Gatehouse looks once a day and asks before it downloads anything.',
  updateFailed: 'It could not be found out whether there is a newer version',
  updateFailedDetail: 'The panel is not affected. Try again later. ({reason})',
} as const;

export type Words = { readonly [Name in keyof typeof english]: string };
