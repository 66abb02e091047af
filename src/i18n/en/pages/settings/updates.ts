// Settings: updates.

export const updates = {
  version: 'This version',
  channel: 'Channel',
  channelOf: '{{channel}}, from {{host}}',
  checked: 'Last check',
  never: 'none yet',
  newestKnown: 'Newest version',
  unknown: 'not known',
  check: 'Check now',
  newest: 'This version is the newest',
  found: 'Version {{version}} is available',
  available: 'Version {{version}}',
  published: 'Published {{when}}.',
  notes: 'What is new',
  how: 'Run this on the server, as the user who owns the installation. It checks the signature, makes a backup, tries the new version on a copy of the data, and rolls back automatically if the new one does not come up within a minute.',
  copyCommand: 'Copy the command',
  fromSources:
    'This panel runs from its sources: update them with git, run npm ci, and start the panel again. panel update is for a panel that was unpacked from an archive of a release.',
  otherSystem: 'The release has no archive for this system.',
  automatic: 'Automatic check',
  daily: 'Look for newer versions once a day',
  dailyHint:
    'The panel asks the server of releases for one small signed file. Nothing is sent but the request: no version, no name, no figures. As with any request, the server sees the address that it comes from. Nothing is ever installed automatically.',
  installation: {
    release: 'The panel looks for newer versions; it is updated on the command line.',
    checkout: 'This panel runs from its sources.',
    desktop: 'The desktop application looks for newer versions itself, and asks before it installs one. See its menu.',
  },
  problem: {
    no_source: 'This panel knows no place to get releases from, or no key to check them with.',
    unreachable: 'The server of releases did not answer as it should.',
    too_large: 'The server of releases sent more than it may.',
    incomplete: 'The download from the server of releases broke off.',
    malformed: 'The description of the newest release cannot be read.',
    unsigned: 'The signature of the newest release is missing or wrong: it is not trusted.',
    wrong_file: 'The signature of the newest release is of another file or version: it is not trusted.',
    older_than_seen: 'The server offers a release that is older than one that was seen before: it is not trusted.',
    expired: 'What the server offers has expired: newer releases may be held back.',
  },
  last: {
    updated: 'Updated from {{from}} to {{to}}, {{when}}.',
    returned: 'Returned from {{from}} to {{to}}, {{when}}.',
    rolledBack: 'The update to {{from}} was rolled back, {{when}}. Version {{to}} runs.',
    restored:
      'The data is that from before the update; what the new version had made of it is among the backups of the data folder.',
    untouched: 'The data stayed as they were.',
  },
  reason: {
    ended: 'The new version ended while it started.',
    silent: 'The new version did not come up in time.',
    interrupted: 'The new version was interrupted each time that it started.',
    asked: 'The administrator asked for it.',
  },
} as const;
