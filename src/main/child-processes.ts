// The deaths of Chromium's own processes: logged, and none of them ends the application.
import type { App } from 'electron';
import type { Log } from '../core/ports/ports.ts';

/** After three crashes Chromium draws without the graphics card; after three more it would end the application, and the panel with it. */
const NO_LIMIT = 'disable-gpu-process-crash-limit';

export function followChildren(
  app: Pick<App, 'on' | 'commandLine' | 'getGPUFeatureStatus'>,
  log: Pick<Log, 'error'>,
): void {
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    if (reason === 'clean-exit') return;
    log.error('process of Chromium gone', { type, reason, exitCode, name });
    if (type !== 'GPU') return;
    // Read at each crash. Earlier it would also keep Chromium from giving up a graphics card that fails.
    const isHardware = app.getGPUFeatureStatus().gpu_compositing.startsWith('enabled');
    if (!isHardware && !app.commandLine.hasSwitch(NO_LIMIT)) app.commandLine.appendSwitch(NO_LIMIT);
  });
}
