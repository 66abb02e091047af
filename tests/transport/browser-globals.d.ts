// What the pages' transport looks for of a browser and does without on Node.
declare var addEventListener: ((type: string, listener: () => void) => void) | undefined;
declare var removeEventListener: ((type: string, listener: () => void) => void) | undefined;
