// Gives a forked Node the port that a utility process of Electron has. Imported before its module.
import { EventEmitter } from 'node:events';

const parentPort = Object.assign(new EventEmitter(), { postMessage: (message: unknown) => process.send?.(message) });
process.on('message', (data) => void parentPort.emit('message', { data }));
process.on('disconnect', () => process.exit());
Object.assign(process, { parentPort });
