// Exits of Chromium's processes are logged, and the GPU process never ends the application.
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { fakeLog } from '../../tests/support/fake-core.ts';
import { followChildren } from './child-processes.ts';

function follow() {
  const switches: string[] = [];
  const status = { gpu_compositing: 'enabled' };
  const app = Object.assign(new EventEmitter(), {
    commandLine: {
      appendSwitch: (name: string) => void switches.push(name),
      hasSwitch: (name: string) => switches.includes(name),
    },
    getGPUFeatureStatus: () => status,
  });
  const log = fakeLog();
  followChildren(app as never, log);
  const end = (type: string, reason = 'crashed') =>
    app.emit('child-process-gone', {}, { type, reason, exitCode: 9, name: type });
  return { switches, status, log, end };
}

it('logs each death but the proper ones', () => {
  const { log, end } = follow();
  end('Utility');
  end('Utility', 'clean-exit');
  expect(log.lines).toMatchObject([{ level: 'error', event: 'process of Chromium gone' }]);
});

it('lets Chromium give up the graphics card first, and lifts its limit for the drawing in software', () => {
  const { switches, status, end } = follow();
  for (let crash = 0; crash < 3; crash += 1) end('GPU');
  expect(switches).toEqual([]);
  status.gpu_compositing = 'disabled_software';
  for (let crash = 0; crash < 3; crash += 1) end('GPU');
  expect(switches).toEqual(['disable-gpu-process-crash-limit']);
});
