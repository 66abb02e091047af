// Asks for the proof of identity that a call needs, in one dialog for all calls, and then repeats the call unchanged.
import { create } from 'zustand';
import { hasProblemCode, type Transport } from '../../../contract/client.ts';

/** The callbacks of the dialog. */
interface Question {
  /** Rejects with a PanelCallError if the proof is not accepted; the dialog stays open. */
  answer(proof: { readonly password: string; readonly code?: string }): Promise<void>;
  /** Fails the waiting calls with their original refusal. */
  cancel(): void;
}

/** null: the dialog is closed. */
export const useProofQuestion = create<{ readonly question: Question | null }>()(() => ({ question: null }));

/** A transport whose calls wait for proof if it is required. Concurrent calls share one dialog. */
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

/** Resolves with whether proof was given. */
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
