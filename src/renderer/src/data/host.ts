// What the host gives the pages beside the panel; a browser does it by its own means.
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
    // The browser reads the file after this turn.
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

/** How a terminal on the panel's machine calls its command: the application's own, else as the panel says. */
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

/** The same on the machine of a node, where Gatehouse is a checkout as here, or is on the PATH. */
export function useNodeCommand(): string {
  return usePanelCommand() === 'npx panel' ? 'npx panel' : 'panel';
}
