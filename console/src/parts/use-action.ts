import { useRef, useState } from "preact/hooks";

/** Work that a person asked for: whether it goes on, and why it was refused. */
export interface Action<Arguments extends unknown[]> {
  /** Does nothing while it goes on. */
  run: (...args: Arguments) => void;
  isBusy: boolean;
  error: unknown;
}

/** Makes an action of `work`, which may be refused. */
export function useAction<Arguments extends unknown[]>(
  work: (...args: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // Two events may come before the next rendering.
  const isRunning = useRef(false);
  const run = async (...args: Arguments) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await work(...args);
    } catch (refusal) {
      setError(refusal);
    }
    isRunning.current = false;
    setBusy(false);
  };
  return { run: (...args) => void run(...args), isBusy, error };
}
