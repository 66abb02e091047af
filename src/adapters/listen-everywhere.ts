// Listening on every address of a machine, with IPv6 or without.

/** Listens on IPv6 and IPv4, or on IPv4 alone if the machine has no IPv6. `listenOn` rejects with the operating system's error. */
export async function listenEverywhere<T>(listenOn: (host: string) => Promise<T>): Promise<T> {
  try {
    return await listenOn('::');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error;
    return listenOn('0.0.0.0');
  }
}
