// Listening on every address of a machine, with IPv6 or without.

/** On IPv6 and IPv4, or on IPv4 where there is no other. `listenOn` rejects with what the operating system says. */
export async function listenEverywhere<T>(listenOn: (host: string) => Promise<T>): Promise<T> {
  try {
    return await listenOn('::');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw error;
    return listenOn('0.0.0.0');
  }
}
