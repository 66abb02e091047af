// The command in the packed application, which is made of the Electron that is here: with a display, and where there is none.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root, run } from '../../scripts/run.ts';
import { openCommandLine, PASSWORD } from '../support/cli.ts';
import { describeDesktop } from './driver.ts';

const LIMIT_MS = 10 * 60_000;
const NO_DISPLAY = { DISPLAY: '', WAYLAND_DISPLAY: '' };

describeDesktop('the command in the packed application', () => {
  let folder: string;
  let packed: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-packed-'));
    const settings = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
    const config = join(folder, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        ...settings,
        directories: { ...settings.directories, output: folder },
        electronDist: join(root, 'node_modules/electron/dist'),
      }),
    );
    const { ok, output } = await run(
      ['electron-builder', '--linux', '--dir', '--publish', 'never', '--config', config],
      LIMIT_MS,
    );
    if (!ok) throw new Error(output);
    packed = globSync(join(folder, 'linux*-unpacked/gatehouse'))[0] ?? '';
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  // Other systems have a display wherever they have a user.
  it.runIf(process.platform === 'linux').each([
    ['with a display', {}],
    ['without a display', NO_DISPLAY],
  ])('serves, is asked and changed meanwhile, and ends %s', async (_name, display) => {
    const environment = { ...display, GATEHOUSE_KEY_FILE: join(folder, 'master.key') };
    await using cli = openCommandLine(environment, { packed });
    const panel = await cli.serve();
    expect(await cli.run(['setup', '--name', 'admin'], PASSWORD)).toMatchObject({ code: 0 });
    expect(await cli.run(['url', 'base_url'])).toMatchObject({ code: 0, stdout: `${panel.baseUrl}\n` });
    const doctor = await cli.run(['doctor', '--json']);
    expect([doctor.code, JSON.parse(doctor.stdout).ok]).toEqual([0, true]);
    const reset = await cli.run(['reset-password', '--json'], 'another password');
    expect([reset.code, JSON.parse(reset.stdout)]).toEqual([0, { keys: 0, sessions: 0, telegram: 0 }]);
    expect(await cli.run(['key', 'add', '--name', 'bot', '--access', 'read'], PASSWORD)).toMatchObject({ code: 3 });
    expect(await panel.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
