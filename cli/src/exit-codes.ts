/** Exit codes. They are documented and stable: scripts decide by them. */
export const EXIT = {
  ok: 0,
  /** The service or the task failed. */
  failed: 1,
  /** Wrong arguments. */
  usage: 2,
  /** No session or key, or it is no longer valid. */
  notSignedIn: 3,
  /** The caller may not do this. */
  refused: 4,
  notFound: 5,
  /** No credits, or too many requests. */
  limited: 6,
  /** The service cannot be reached. */
  unreachable: 7,
  /** With `--no-input`: the task needs your input. */
  needsApproval: 8,
  /** `--timeout` has passed. As of GNU `timeout`. */
  timeout: 124,
  /** Stopped by Ctrl-C: 128 and the number of SIGINT. */
  stopped: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for a refusal of the service with this HTTP status. */
export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401) return EXIT.notSignedIn;
  if (status === 403) return EXIT.refused;
  if (status === 404) return EXIT.notFound;
  if (status === 402 || status === 429) return EXIT.limited;
  return EXIT.failed;
}
