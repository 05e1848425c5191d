/** Ends a wait that hangs, and nothing else. */
export const PATIENCE = { timeout: 240_000, interval: 250 };

/**
 * The time limit of a test that kills its service so often: what its work takes on a busy machine, and then a wait that hangs.
 * With less, the limit would end the test before the wait says what it waits for.
 */
export const limitFor = (kills: number): number => 600_000 + kills * 120_000 + PATIENCE.timeout;
