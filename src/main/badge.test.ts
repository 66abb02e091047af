// The badge counts issues of the panel, in the form that each system supports.
import { describe, expect, it, vi } from 'vitest';
import { nodeExample } from '../contract/nodes/nodes.ts';
import { OPERATIONS } from '../contract/table.ts';
import { countAttention, createBadge } from './badge.ts';

const now = Date.parse('2026-12-20T10:00:00Z');

function fakeCore({ isSetUp = true, nodes = [nodeExample] }: { isSetUp?: boolean; nodes?: object[] } = {}) {
  const replies: Record<string, unknown> = {
    listNodes: { items: nodes, total: nodes.length, next_cursor: null },
    getUpdates: { ...(OPERATIONS.getUpdates.example.reply as object), available: null },
  };
  const call = vi.fn((id: keyof typeof OPERATIONS) => ({ body: replies[id] ?? OPERATIONS[id].example.reply }));
  return { call, local: { isSetUp: () => isSetUp } } as unknown as Parameters<typeof countAttention>[0] & {
    call: typeof call;
  };
}

describe('countAttention', () => {
  it('counts nodes that are down, not customers whose term or traffic ends', () => {
    const quiet = countAttention(fakeCore(), now);
    const down = { ...nodeExample, status: 'down' };
    expect(countAttention(fakeCore({ nodes: [down, { ...down, id: 2 }] }), now)).toBe(quiet + 2);
  });

  it('is 0 before the set-up, without asking the panel, and where the panel cannot be read', () => {
    const core = fakeCore({ isSetUp: false });
    expect(countAttention(core, now)).toBe(0);
    expect(core.call).not.toHaveBeenCalled();
    const broken = fakeCore();
    broken.call.mockImplementation(() => {
      throw new Error('database disk image is malformed');
    });
    expect(countAttention(broken, now)).toBe(0);
  });
});

describe('the badge', () => {
  function shownOn(platform: NodeJS.Platform, counts: readonly number[]) {
    const setBadgeCount = vi.fn(() => true);
    const setOverlay = vi.fn();
    const nativeImage = { createFromDataURL: (url: string) => url };
    const show = createBadge({ app: { setBadgeCount }, nativeImage: nativeImage as never, platform, setOverlay });
    for (const count of counts) show(count, `${count} matters`);
    return { numbers: setBadgeCount.mock.calls, overlays: setOverlay.mock.calls };
  }

  it.each(['darwin', 'linux'] as const)('is a number on %s, set when it changes', (platform) => {
    expect(shownOn(platform, [0, 2, 2, 0])).toEqual({ numbers: [[2], [0]], overlays: [] });
  });

  it('is a dot on Windows, which a window that was closed needs again', () => {
    const dot = expect.stringMatching(/^data:image\/png;base64,iVBOR/);
    expect(shownOn('win32', [2, 2, 0])).toEqual({
      numbers: [],
      overlays: [
        [dot, '2 matters'],
        [dot, '2 matters'],
        [null, '0 matters'],
      ],
    });
  });
});
