/** Close codes of the local runner when there is no result: the process needed too much memory, or it was lost. */
export const CLOSED_BY = { memory: 4001, lost: 4002 } as const;
export const PROJECT_PARAMETER = "project";
/** Milliseconds after which the runner ends the job by itself. */
export const LIMIT_PARAMETER = "limit_ms";
