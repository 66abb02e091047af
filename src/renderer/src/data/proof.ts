// Asks for the proof of identity that a call needs, in one dialog for all, and then repeats the call as it was.
import { create } from 'zustand';
import { hasProblemCode, type Transport } from '../../../contract/client.ts';

/** What the dialog does with what was typed into it. */
interface Question {
  /** Rejects with a PanelCallError while the proof is not accepted; the question stays open. */
  answer(proof: { readonly password: string; readonly code?: string }): Promise<void>;
  /** The calls that wait fail as they were refused. */
  cancel(): void;
}

/** null: nothing is asked. */
export const useProofQuestion = create<{ readonly question: Question | null }>()(() => ({ question: null }));

/** A transport whose calls wait for the proof where one is required. Calls at the same time share one question. */
export function askForProof(transport: Transport): Transport {
  let openPrompt: Promise<boolean> | null = null;
  const ask = () => {
    openPrompt ??= openQuestion(transport).finally(() => {
      openPrompt = null;
      useProofQuestion.setState({ question: null });
    });
    return openPrompt;
  };
  return {
    async call(id, input, options) {
      try {
        return await transport.call(id, input, options);
      } catch (failure) {
        if (!hasProblemCode(failure, 'proof_required') || !(await ask())) throw failure;
        return transport.call(id, input, options);
      }
    },
  };
}

/** Whether the proof was given. */
function openQuestion(transport: Transport): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const question: Question = {
    async answer(proof) {
      await transport.call('prove', proof);
      resolve(true);
    },
    cancel: () => resolve(false),
  };
  useProofQuestion.setState({ question });
  return promise;
}
