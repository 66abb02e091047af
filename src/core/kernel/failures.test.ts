// Logging of failed attempts: a few log lines a minute, an audit row at the start and end of a series, bounded in any case.
import { describe, expect, it } from 'vitest';
import { fakeClock, fakeLog } from '../../../tests/support/fake-core.ts';
import { createFailures } from './failures.ts';

const MINUTE = 60_000;

function setUp() {
  const clock = fakeClock();
  const log = fakeLog();
  return { clock, log, failures: createFailures({ clock, log }) };
}

describe('failed attempts', () => {
  it('are one line a network and minute, when the minute is over', () => {
    const { clock, log, failures } = setUp();
    for (let count = 0; count < 3; count++) failures.recordFailure('sign_in', '203.0.113.9', count > 1);
    failures.recordFailure('key', '2001:db8:1:2:3::1', false);
    failures.recordFailure('key', '2001:db8:1:2:4::1', false);
    expect(failures.report()).toEqual([]);
    expect(log.lines).toEqual([]);
    clock.ms += MINUTE;
    expect(failures.report()).toEqual([]);
    const minute = '2026-11-20T10:00:00.000Z';
    expect(log.lines).toEqual([
      { level: 'warn', event: 'failed sign-ins', fields: { minute, network: '203.0.113.9', count: 3, throttled: 1 } },
      { level: 'warn', event: 'failed keys', fields: { minute, network: '2001:db8:1:2::/64', count: 2, throttled: 0 } },
    ]);
    failures.report();
    expect(log.lines).toHaveLength(2);
  });

  it('are a row where a series begins, and one with its sum where it ends', () => {
    const { clock, failures } = setUp();
    for (let minute = 0; minute < 3; minute++) {
      for (let count = 0; count < 10; count++) failures.recordFailure('key', '203.0.113.9', minute > 0);
      clock.ms += MINUTE;
      const detail = { network: '203.0.113.9', count: 10, throttled: 0, series: 'begun' };
      expect(failures.report()).toEqual(minute === 0 ? [{ kind: 'key', address: '203.0.113.9', detail }] : []);
    }
    clock.ms += 5 * MINUTE;
    const detail = { network: '203.0.113.9', count: 30, throttled: 20, series: 'ended', minutes: 3 };
    expect(failures.report()).toEqual([{ kind: 'key', address: '203.0.113.9', detail }]);
    expect(failures.report(true)).toEqual([]);
  });

  it('of any number of networks cost a bounded number of lines and rows', () => {
    const { clock, log, failures } = setUp();
    for (let network = 0; network < 5000; network++) {
      for (let count = 0; count < 10; count++)
        failures.recordFailure('key', `10.0.${network >> 8}.${network & 255}`, false);
    }
    expect(failures.lastHour().key).toEqual({ count: 50_000, networks: 501 });
    clock.ms += MINUTE;
    const rows = failures.report();
    expect(rows).toHaveLength(21);
    expect(rows.reduce((sum, { detail }) => sum + Number(detail.count), 0)).toBe(50_000);
    // The networks with the most failures, and the sum of the others, even if each network fails only once.
    expect(log.lines).toHaveLength(11);
    expect(log.lines.at(-1)?.fields).toMatchObject({ networks: 491 });
    expect(
      log.lines.reduce(
        (sum, { fields }) => sum + Number((fields as { readonly count?: number } | undefined)?.count),
        0,
      ),
    ).toBe(50_000);
  });

  it('are counted for an hour, and again after a clock was set back', () => {
    const { clock, failures } = setUp();
    failures.recordFailure('sign_in', '203.0.113.9', true);
    clock.ms += 30 * MINUTE;
    failures.recordFailure('sign_in', '203.0.113.9', true);
    failures.recordFailure('sign_in', '198.51.100.1', false);
    expect(failures.lastHour()).toEqual({ sign_in: { count: 3, networks: 2 }, key: { count: 0, networks: 0 } });
    clock.ms += 31 * MINUTE;
    expect(failures.lastHour().sign_in).toEqual({ count: 2, networks: 2 });
    clock.ms -= 2 * 60 * MINUTE;
    failures.recordFailure('key', '203.0.113.9', false);
    expect(failures.lastHour()).toEqual({ sign_in: { count: 0, networks: 0 }, key: { count: 1, networks: 1 } });
  });
});
