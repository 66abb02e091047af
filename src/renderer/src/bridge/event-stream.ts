// Reads server-sent events out of a stream of text, as the HTML standard says, for a fetch that can send headers and see a status.

export interface StreamMessage {
  /** `message` where the server gave no other type. */
  readonly type: string;
  readonly data: string;
  /** The last id the server gave, in this message or before it; empty where there was none. */
  readonly id: string;
}

/** A function that takes the text as it comes, in pieces of any size, and tells each whole message. */
export function createEventParser(onMessage: (message: StreamMessage) => void): (piece: string) => void {
  let rest = '';
  let type = '';
  let data: string[] = [];
  let id = '';

  function take(line: string): void {
    if (line === '') {
      if (data.length > 0) onMessage({ type: type || 'message', data: data.join('\n'), id });
      type = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
  }

  return (piece) => {
    rest += piece;
    // A carriage return at the end may be half of a line break.
    for (let match = /\r\n|\n|\r(?!$)/.exec(rest); match; match = /\r\n|\n|\r(?!$)/.exec(rest)) {
      const line = rest.slice(0, match.index);
      rest = rest.slice(match.index + match[0].length);
      take(line);
    }
  };
}
