// The panel's certificates and keys in backups, other than those of its own authority, and its accounts at ACME authorities.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, setAside, writePrivateFile } from '../private-file.ts';

/** Imported certificates, the one by ACME, and the account keys of ACME. */
export const CERTIFICATE_FILE = /^(?:imported-(?:panel|links)|acme|acme-account-[0-9a-f]{16})\.pem$/;

/** File contents by name. */
export type CertificateFiles = Readonly<Record<string, string>>;

export function readCertificateFiles(folder: string): CertificateFiles {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => CERTIFICATE_FILE.test(name)) : [];
  return Object.fromEntries(names.map((name) => [name, readIfThere(join(folder, name)) ?? '']));
}

/** Writes the files; existing ones of these names are set aside. */
export function writeCertificateFiles(folder: string, files: CertificateFiles, now: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files)) {
    if (!CERTIFICATE_FILE.test(name)) continue;
    const path = join(folder, name);
    if (readIfThere(path) === text) continue;
    setAside(path, now);
    writePrivateFile(path, text);
  }
}
