// The settings with which `panel serve` keeps its memory small, as bin/memory.mjs has them for any Node.
const settings: unknown = await import(new URL('../../bin/memory.mjs', import.meta.url).href);

export const { FLAGS, ALLOCATOR } = settings as {
  readonly FLAGS: readonly string[];
  readonly ALLOCATOR: Readonly<Record<string, string>>;
};
