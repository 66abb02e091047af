// Checks of the data that Telegram signs for the Mini App. The hashes were made by Python's hmac as Telegram documents; the first is also
// accepted by @telegram-apps/init-data-node.
import { describe, expect, it } from 'vitest';
import { readInitData } from './init-data.ts';

const TOKEN = '123456:TEST';
const AT = 1_700_000_000_000;
const USER = encodeURIComponent('{"id":7,"first_name":"A"}');
const HASH = 'e00ce75adb889a638b1d52f6f047b9588c224e51d23c48fe367c0f5891741d6e';
const GOOD = `auth_date=1700000000&query_id=AAE&user=${USER}&hash=${HASH}`;

describe('readInitData', () => {
  it('knows who opened it, in whatever order the fields come', () => {
    expect(readInitData(GOOD, TOKEN, AT)).toEqual({ telegramId: 7 });
    expect(readInitData(GOOD.split('&').reverse().join('&'), TOKEN, AT)).toEqual({ telegramId: 7 });
  });

  it('reads every field, with letters of any script and the signature for others', () => {
    const text =
      'auth_date=1795170000&chat_instance=-3788475317572404878&chat_type=private&signature=Xy_9-sig&start_param=a+b%26c%3Dd&user=%7B%22id%22%3A1001%2C%22first_name%22%3A%22%D0%90%D0%BD%D0%BD%D0%B0%22%2C%22last_name%22%3A%22%22%2C%22username%22%3A%22anna%22%2C%22language_code%22%3A%22ru%22%2C%22allows_write_to_pm%22%3Atrue%2C%22photo_url%22%3A%22https%3A%5C%2F%5C%2Ft.me%5C%2Fi%5C%2Fuserpic%5C%2F320%5C%2Fx.svg%22%7D&hash=8bfef696252249925cc1ef0898fde96b90a4bc3e6db729b5180f5c8c6976a067';
    const token = '7654321:AAcanary-of-the-bot-Qw83';
    expect(readInitData(text, token, 1_795_170_000_000)).toEqual({ telegramId: 1001 });
    expect(readInitData(text.replace('signature=Xy', 'signature=Xz'), token, 1_795_170_000_000)).toBe('forged');
  });

  it.each([
    [-60_000, 'ended'],
    [-59_999, { telegramId: 7 }],
    [3_599_999, { telegramId: 7 }],
    [3_600_000, 'ended'],
  ])('signs in for an hour: %i ms after it was opened', (later, outcome) => {
    expect(readInitData(GOOD, TOKEN, AT + later)).toEqual(outcome);
  });

  it.each([
    ['another user', GOOD.replace('7%2C', '8%2C')],
    ['another time', GOOD.replace('auth_date=1700000000', 'auth_date=1700000001')],
    ['another hash', GOOD.replace('hash=e', 'hash=f')],
    ['a hash in capitals', GOOD.replace(HASH, HASH.toUpperCase())],
    ['a shorter hash', GOOD.slice(0, -1)],
    ['no hash', GOOD.replace(/&hash=.*/, '')],
    ['one more field', `${GOOD}&start_param=x`],
    ['one field less', GOOD.replace('query_id=AAE&', '')],
    ['a field twice', `${GOOD}&user=${encodeURIComponent('{"id":8}')}`],
    ['nothing', ''],
    ['too much', `${GOOD}&x=${'y'.repeat(5000)}`],
    ['no user', 'auth_date=1700000000&hash=cb34eaadc0fad5d92e8b1f15a63022d96d0df31a271c6ac9117813d5413acaeb'],
    [
      'a user that is no JSON',
      'auth_date=1700000000&user=%7B&hash=13667f9aa0a3ba0684737c569fa47ea2a8cb0b8c460e3edccdc0c59550f9d2ca',
    ],
    [
      'a time that is none',
      'auth_date=soon&user=%7B%22id%22%3A7%7D&hash=a39cdb37f9b3f0f12d98ba78a70568132729d184a5ea9b2732522cfdaf8ca519',
    ],
    [
      'a chat in place of a person',
      'auth_date=1700000000&user=%7B%22id%22%3A-7%7D&hash=d66842dc8500d750861965de4fd60b34a4925c57639448a9fda7b351ec10fdb9',
    ],
  ])('refuses %s', (_, text) => {
    expect(readInitData(text, TOKEN, AT)).toBe('forged');
  });

  it('refuses what another bot was given', () => {
    expect(readInitData(GOOD, '123456:TESU', AT)).toBe('forged');
  });
});
