/** Ends a test that hangs, and nothing else: a machine that is busy must not decide one. */
export const HANGS_MS = 300_000;

/** Ends a wait that hangs before its test ends, so that the failure says what was waited for. */
export const WAIT_HANGS_MS = 240_000;
