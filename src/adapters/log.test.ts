// What a log line contains, what it must never contain, and that files stay bounded.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLog } from './log.ts';
import { openRotatedFile } from './rotated-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = `pnl_${'a1B2c3'.repeat(7)}`;

function logged(act: (log: ReturnType<typeof openLog>) => void): string {
  const lines: string[] = [];
  act(openLog('stderr', (line) => lines.push(line)));
  return lines.join('');
}

describe('a line', () => {
  test('is JSON with time, level, event and fields', () => {
    const line = JSON.parse(logged((log) => log.warn('slow disk', { ms: 812 })));
    expect(line).toMatchObject({ level: 'warn', msg: 'slow disk', ms: 812 });
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  test('keeps the stack of an error', () => {
    const line = JSON.parse(logged((log) => log.error('failed', { error: new Error('the disk') })));
    expect(line.error.message).toBe('the disk');
    expect(line.error.stack).toContain('log.test.ts');
  });

  test('hides fields that are called like secrets', () => {
    const line = logged((log) =>
      log.info('x', { password: 'hunter22', headers: { authorization: 'Bearer hunter22' } }),
    );
    expect(line).not.toContain('hunter22');
    expect(line).toContain('[hidden]');
  });

  test('hides a key wherever it stands', () => {
    const line = logged((log) =>
      log.error(`bad ${key}`, { error: new Error(`refused ${key}`), detail: { deep: { er: key } } }),
    );
    expect(line).not.toContain('a1B2c3a1B2c3');
  });

  test('hides what it was told to hide, before and inside an error', () => {
    const line = logged((log) => {
      log.hide('Zq9_secret-path_Zq9');
      log.error('GET /Zq9_secret-path_Zq9/api', { error: new Error('at /Zq9_secret-path_Zq9/x') });
    });
    expect(line).not.toContain('secret-path');
  });
});

describe('a file', () => {
  test('is for the owner only and is appended to', () => {
    const file = join(folder, 'logs', 'panel.log');
    for (const event of ['first', 'second']) {
      const log = openLog({ file });
      log.info(event);
      log.close();
    }
    const events = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(events).toEqual(['first', 'second']);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('takes a line after its end, but is neither made nor set aside for it', () => {
    const path = join(folder, 'log');
    const file = openRotatedFile(path, 10, 2);
    file.write('the first line\n');
    file.close();
    file.write('what failed last\n');
    expect(readFileSync(path, 'utf8')).toBe('the first line\nwhat failed last\n');
    expect(readdirSync(folder)).toEqual(['log']);
    rmSync(path);
    file.write('in no file\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is set aside when it has grown, and old ones go', () => {
    const file = openRotatedFile(join(folder, 'log'), 100, 2);
    for (let line = 1; line <= 10; line++) file.write(`${String(line).padStart(59, '.')}\n`);
    file.close();
    expect(readdirSync(folder).sort()).toEqual(['log', 'log.1', 'log.2']);
    expect(readFileSync(join(folder, 'log'), 'utf8')).toMatch(/\.10\n$/);
    expect(readFileSync(join(folder, 'log.2'), 'utf8')).toMatch(/\.8\n$/);
  });
});
