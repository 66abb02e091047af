// What goes wrong around a real keychain: prompts and services that never answer, and secrets looked for where none may be.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { afterFirstRun, dataFolder, entry, OPEN, REFUSED, SEAL, SECRET, startVault } from './panel.ts';
import { openSession } from './session.ts';

const noKeychain = inject('noKeychain');

describe.skipIf(noKeychain !== null)(`with a real keychain ${noKeychain ?? ''}`.trim(), () => {
  test('a prompt without an answer delays neither the start nor the end', async () => {
    await using session = await openSession({ hanging: 'prompt' });
    await afterFirstRun(session);
    await session.lock();
    const panel = await startVault(session);
    expect(panel.first).toMatchObject({ state: 'locked', rows: 1 });
    expect(await panel.callProcess(OPEN)).toEqual(REFUSED);
    await session.unlock();
    expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'unlocked' });
    expect(await panel.callProcess(OPEN)).toEqual({ secret: SECRET });
    expect(await panel.leave()).toBe(0);

    await session.lock();
    const waiting = await startVault(session);
    expect(waiting.first).toMatchObject({ state: 'locked' });
    expect(await waiting.leave()).toBe(0);
  });

  test('a service that never answers is as good as none', async () => {
    await using session = await openSession({ hanging: 'keychain' });
    const panel = await startVault(session);
    // The system gives up after 2 s: where the machine is busy, that is after the panel has.
    expect(panel.first).toMatchObject({ state: expect.stringMatching(/^(absent|locked)$/), rows: 0 });
    await expect
      .poll(() => panel.callProcess({ do: 'state' }), { timeout: 300_000 })
      .toMatchObject({ state: 'absent' });
    expect(await panel.leave()).toBe(0);
  });

  test('neither the secret nor the key is in the database, its journal or the log, whatever went wrong', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const panel = await startVault(session);
    await panel.callProcess(SEAL);
    const key = entry(session, 'get') ?? '';
    const files = () => readdirSync(dataFolder(session)).map((name) => readFileSync(join(dataFolder(session), name)));
    const bytes = [...files(), Buffer.from(panel.log())];
    await session.lock();
    await panel.callProcess({ do: 'refresh' });
    await panel.kill();
    const next = await startVault(session);
    await next.callProcess(OPEN);
    await next.leave();
    bytes.push(...files(), Buffer.from(panel.log() + next.log()));
    expect(next.log()).toContain('"state":"locked"');
    for (const secret of [Buffer.from(SECRET), Buffer.from(key), Buffer.from(key, 'base64url')]) {
      for (const form of [secret, secret.toString('hex'), secret.toString('base64').slice(0, -4)]) {
        expect(bytes.filter((content) => content.includes(form))).toEqual([]);
      }
    }
  });
});
