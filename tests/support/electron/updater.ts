// A stand-in for electron-updater: it finds a newer version whose installation the user cancels at the system's dialog.
import { EventEmitter } from 'node:events';

class CancelledUpdater extends EventEmitter {
  checkForUpdates = async () => ({ isUpdateAvailable: true, updateInfo: { version: '9.9.9' } });
  downloadUpdate = async () => [];
  quitAndInstall(): void {
    this.emit('error', new Error('Command pkexec exited with code 126'));
  }
}

export default { autoUpdater: new CancelledUpdater() };
