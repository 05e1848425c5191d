import { useState } from "preact/hooks";

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
  const run = (...args: Arguments) => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    work(...args).then(
      () => setBusy(false),
      (refusal: unknown) => {
        setError(refusal);
        setBusy(false);
      },
    );
  };
  return { run, isBusy, error };
}
