// Settings of the desktop application, on the computer it runs on.

export const desktop = {
  title: 'On this computer',
  description: 'How the application behaves here. None of it affects users or bots.',
  closeToTray: 'Keep serving when the window is closed',
  closeToTrayHint: 'The API and subscription links keep answering; the tray icon brings the window back.',
  startAtLogin: 'Start when I sign in to the computer',
  startAtLoginHint: 'Without a window: the panel serves, its icon is in the tray.',
  noLoginItems: 'Only the installed application can be started by the system; this one runs from its sources.',
  staySignedIn: 'Stay signed in on this computer',
  staySignedInHint:
    'The session is stored in the keychain and continues after a restart until it ends. The password and the code are still asked for where they are needed.',
  notKept: 'The keychain did not store the session. Settings, Security shows its state.',
  notifications: 'System messages',
  notificationsHint: 'When a node stops answering, a user has used all traffic, or a backup fails.',
  quickSearch: 'Search from any program',
  quickSearchHint: '{{keys}} shows the window with the search over users, records and actions.',
  keyTaken:
    'The system did not give Gatehouse this key: another program has it, or it is not allowed. Nothing was changed.',
  versions: 'Versions',
} as const;
