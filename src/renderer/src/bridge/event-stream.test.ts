// Server-sent events out of pieces of any size: the same messages, however the network cuts them.
import { describe, expect, it } from 'vitest';
import { createEventParser, type StreamMessage } from './event-stream.ts';

const STREAM =
  'retry: 2000\nevent: ready\nid: 41\ndata: {}\n\n' +
  ':\n\n' +
  'id: 42\ndata: {"type":"user.extended"}\n\n' +
  'data: one\r\ndata:two\r\n\r\n' +
  'event: gone\ndata\n\n' +
  'id: 43\ndata: not ended';

function read(pieces: readonly string[]): StreamMessage[] {
  const messages: StreamMessage[] = [];
  const take = createEventParser((message) => messages.push(message));
  for (const piece of pieces) take(piece);
  return messages;
}

const expected: StreamMessage[] = [
  { type: 'ready', data: '{}', id: '41' },
  { type: 'message', data: '{"type":"user.extended"}', id: '42' },
  { type: 'message', data: 'one\ntwo', id: '42' },
  { type: 'gone', data: '', id: '42' },
];

describe('createEventParser', () => {
  it('reads whole messages and nothing of one that has not ended', () => {
    expect(read([STREAM])).toEqual(expected);
  });

  it('reads the same in pieces of every size', () => {
    for (let size = 1; size < 20; size++) {
      const pieces = STREAM.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
      expect(read(pieces), `pieces of ${size}`).toEqual(expected);
    }
  });
});
