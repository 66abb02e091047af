// The host of the pages; a browser implements it by its own functions.
import { useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { HostApi } from '../../../bridge/host-api.ts';
import { useOperation } from './use-operation.ts';

export const browserHost: HostApi = {
  kind: 'browser',
  copy: (text) => navigator.clipboard.writeText(text),
  async save(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    // Later, because the browser reads the file after this function returns.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    return true;
  },
  // Returns when the browser's dialog is closed.
  print: async () => window.print(),
  makePdf: null,
  shell: null,
  record: null,
};

export const HostContext = createContext<HostApi>(browserHost);

export function useHost(): HostApi {
  return use(HostContext);
}

/** The `panel` command on the panel's machine: the application's own, else as the panel reports it. */
export function usePanelCommand(): string {
  const { shell } = useHost();
  const { data } = useQuery({
    queryKey: ['desktop', 'command'],
    queryFn: async () => (await shell?.versions())?.command ?? null,
    enabled: shell !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: state } = useOperation('panelState', {}, { enabled: shell === null });
  return data ?? state?.command ?? 'panel';
}

/** The command on a node's machine, where Gatehouse is a checkout as here, or is on the PATH. */
export function useNodeCommand(): string {
  return usePanelCommand() === 'npx panel' ? 'npx panel' : 'panel';
}
