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
  notes: 'Release notes',
  how: 'Run this on the server, as the user who owns the installation. It checks the signature, creates a backup, tests the new version on a copy of the data, and rolls back automatically if the new version does not start within a minute.',
  copyCommand: 'Copy the command',
  fromSources:
    'This panel runs from its sources: update them with git, run npm ci, and start the panel again. panel update is for a panel that was unpacked from an archive of a release.',
  otherSystem: 'The release has no archive for this system.',
  automatic: 'Automatic check',
  daily: 'Check for newer versions once a day',
  dailyHint:
    'The panel asks the server of releases for one small signed file. Nothing is sent but the request: no version, no name, no figures. As with any request, the server sees the address that it comes from. Nothing is ever installed automatically.',
  installation: {
    release: 'The panel checks for newer versions; update it on the command line.',
    checkout: 'This panel runs from its sources.',
    desktop: 'The desktop application checks for newer versions itself and asks before it installs one. See its menu.',
  },
  problem: {
    no_source: 'This panel has no address for releases, or no key to verify them.',
    unreachable: 'The server of releases sent an invalid answer or none.',
    too_large: 'The server of releases sent too much data.',
    incomplete: 'The download from the server of releases was interrupted.',
    malformed: 'The description of the newest release cannot be read.',
    unsigned: 'The signature of the newest release is missing or wrong: it is not trusted.',
    wrong_file: 'The signature of the newest release is of another file or version: it is not trusted.',
    older_than_seen: 'The server offers a release that is older than one that was seen before: it is not trusted.',
    expired: 'The description of the newest release has expired: newer releases may be withheld.',
  },
  last: {
    updated: 'Updated from {{from}} to {{to}}, {{when}}.',
    returned: 'Returned from {{from}} to {{to}}, {{when}}.',
    rolledBack: 'The update to {{from}} was rolled back, {{when}}. Version {{to}} runs.',
    restored:
      'The data of before the update were restored; those of the new version are among the backups in the data folder.',
    untouched: 'The data were not changed.',
  },
  reason: {
    ended: 'The new version exited during its start.',
    silent: 'The new version did not start in time.',
    interrupted: 'The new version was interrupted at each start.',
    asked: 'Requested by the administrator.',
  },
} as const;
