// Logs exits of Chromium's processes, none of which may end the application.
import type { App } from 'electron';
import type { Log } from '../core/ports/ports.ts';

/** After three crashes of the GPU process Chromium renders in software; without this switch, three more end the application with the panel. */
const NO_LIMIT = 'disable-gpu-process-crash-limit';

export function followChildren(
  app: Pick<App, 'on' | 'commandLine' | 'getGPUFeatureStatus'>,
  log: Pick<Log, 'error'>,
): void {
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    if (reason === 'clean-exit') return;
    log.error('process of Chromium gone', { type, reason, exitCode, name });
    if (type !== 'GPU') return;
    // Set only in software mode: earlier, the switch would also prevent that Chromium gives up a failing graphics card.
    const isHardware = app.getGPUFeatureStatus().gpu_compositing.startsWith('enabled');
    if (!isHardware && !app.commandLine.hasSwitch(NO_LIMIT)) app.commandLine.appendSwitch(NO_LIMIT);
  });
}
