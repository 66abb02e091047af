// The audit log has texts for every action.
import { expect, it } from 'vitest';
import { isReading, type Operation } from '../../../../contract/operation.ts';
import { OPERATIONS } from '../../../../contract/table.ts';
import { audit } from '../../../../i18n/en/pages/audit.ts';
import { ACTION_GROUPS, isKnownAction } from './actions.ts';

it('knows every operation that changes something', () => {
  const writing = Object.values(OPERATIONS).filter((operation) => !isReading(operation));
  const getAuditName = (operation: Operation) => ('auditedAs' in operation && operation.auditedAs) || operation.id;
  expect(writing.map(getAuditName).filter((name) => !isKnownAction(name))).toEqual([]);
});

it('offers each action once, and no other than those with words', () => {
  const offered = Object.values(ACTION_GROUPS).flat();
  expect(offered.toSorted()).toEqual(Object.keys(audit.action).toSorted());
});
