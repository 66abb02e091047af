// Why a release or an archive was not downloaded or not trusted, for the person at the terminal.
import type { UpdateProblem } from '../../contract/updates.ts';

export const PROBLEM_SENTENCES: Readonly<Record<UpdateProblem, string>> = {
  no_source: 'This panel knows no place to get releases from, or no key to check them with (release.json).',
  unreachable: 'The server of releases sent an invalid answer or none.',
  too_large: 'The server sent more than it may.',
  incomplete: 'The download broke off. Try again.',
  malformed: 'The description of the release cannot be read.',
  unsigned: 'The signature is missing or wrong: this is no release that this panel trusts.',
  wrong_file: 'The signature is of another file or version.',
  older_than_seen: 'The server offers a release that is older than one that was seen before.',
  expired: 'The description of the newest release has expired: newer releases may be withheld.',
};
