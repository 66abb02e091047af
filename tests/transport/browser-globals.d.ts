// Browser globals that the pages' transport uses if they exist.
declare var addEventListener: ((type: string, listener: () => void) => void) | undefined;
declare var removeEventListener: ((type: string, listener: () => void) => void) | undefined;
