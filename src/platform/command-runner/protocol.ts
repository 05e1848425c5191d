/** How the local runner closes a connection before the result: the process needed too much memory, or ended otherwise. */
export const CLOSED_BY = { memory: 4001, lost: 4002 } as const;
export const PROJECT_PARAMETER = "project";
/** Milliseconds after which the runner ends the job by itself, should nobody else. */
export const LIMIT_PARAMETER = "limit_ms";
