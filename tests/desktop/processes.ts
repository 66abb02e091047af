// The processes of a desktop, as Linux lists them.
import { readdirSync, readFileSync } from 'node:fs';

function readProcess(pid: string): { readonly parent: number; readonly command: string } | null {
  try {
    const parent = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    return { parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') };
  } catch {
    // It has ended.
    return null;
  }
}

/** Those below a process whose command line contains a text. */
export function listDescendants(main: number, text: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const known = new Map(pids.map((pid) => [Number(pid), readProcess(pid)]));
  const isBelow = (pid: number): boolean => {
    const parent = known.get(pid)?.parent ?? 0;
    return parent === main || (parent > 1 && isBelow(parent));
  };
  return [...known.keys()].filter((pid) => isBelow(pid) && known.get(pid)?.command.includes(text));
}

export function isRunning(pid: number): boolean {
  return !/^State:\s*[ZX]/m.test(readState(pid) ?? 'State: X');
}

function readState(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return null;
  }
}
