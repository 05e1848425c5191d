import type { GitOperations, GitProgress } from "#src/git/protocol.ts";

/** Git over a project's files. */
export interface ProjectGit {
  /**
   * Runs one operation. Failures are `AppError`s: `invalid_input`, `not_found` (no repository, no such branch),
   * `conflict`, `unauthenticated` (the remote requires other credentials), `unavailable` (the remote did not respond).
   */
  git<Name extends keyof GitOperations>(
    name: Name,
    input: GitOperations[Name]["input"],
    options?: { signal?: AbortSignal; onProgress?: (progress: GitProgress) => void },
  ): Promise<GitOperations[Name]["output"]>;
}
