// Many new users, a few at a time: those that could not be made stay to be tried again, those that were made have their links.
import { useEffect, useRef, useState } from 'react';
import { PanelCallError } from '../../../../../contract/client.ts';
import type { User, UserCreate } from '../../../../../contract/users.ts';
import { usePanel } from '../../../data/panel.tsx';

export interface Made {
  readonly users: readonly User[];
  /** Those that were refused, in their order. */
  readonly failed: readonly { readonly index: number; readonly failure: PanelCallError }[];
}

const AT_ONCE = 4;

export function useCreateMany() {
  const { client, invalidate } = usePanel();
  const [done, setDone] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  /** Makes them all; what is refused does not keep the others from being made. */
  async function run(inputs: readonly UserCreate[]): Promise<Made> {
    const controller = new AbortController();
    stop.current = controller;
    const made = new Map<number, User>();
    const failed: { index: number; failure: PanelCallError }[] = [];
    let next = 0;
    setDone(0);
    const work = async () => {
      for (let index = next++; index < inputs.length && !controller.signal.aborted; index = next++) {
        const input = inputs[index];
        if (input === undefined) return;
        try {
          made.set(index, await client.createUser(input));
        } catch (failure) {
          if (!(failure instanceof PanelCallError)) throw failure;
          failed.push({ index, failure });
        }
        setDone(made.size + failed.length);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setDone(null);
    invalidate('user');
    const users = [...made].sort(([a], [b]) => a - b).map(([, user]) => user);
    return { users, failed: failed.sort((a, b) => a.index - b.index) };
  }

  return { done, run };
}
