import { toAppError } from "./failure.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import type { GitFileSystem } from "./file-system.ts";
import { blame } from "./operations/blame.ts";
import { branches } from "./operations/branches.ts";
import { clone } from "./operations/clone.ts";
import { commit } from "./operations/commit.ts";
import { createBranch } from "./operations/create-branch.ts";
import { diff } from "./operations/diff.ts";
import { fetchFromRemote } from "./operations/fetch.ts";
import { init } from "./operations/init.ts";
import { log } from "./operations/log.ts";
import { probe } from "./operations/probe.ts";
import { pull } from "./operations/pull.ts";
import { push } from "./operations/push.ts";
import { remotes, removeRemote } from "./operations/remotes.ts";
import { stage } from "./operations/stage.ts";
import { status } from "./operations/status.ts";
import { switchBranch } from "./operations/switch-branch.ts";
import type { GitOperations, GitProgress } from "./protocol.ts";
import { openRepository, type Repository } from "./repository.ts";
import { withOwnLocks } from "./run-lock.ts";
import type { GitTransport } from "./transport.ts";

/** Longest time of an operation, in milliseconds; allows a clone of a large repository over a slow line. */
const OPERATION_TIMEOUT_MS = 300_000;
/** Operations with a shorter limit, because a user waits for them. */
const SHORT: ReadonlySet<keyof GitOperations> = new Set(["probe", "fetch"]);
const SHORT_TIMEOUT_MS = 15_000;

type Operation<Name extends keyof GitOperations> = (
  repository: Repository,
  input: GitOperations[Name]["input"],
) => Promise<GitOperations[Name]["output"]>;

const OPERATIONS: { readonly [Name in keyof GitOperations]: Operation<Name> } = {
  init,
  clone,
  probe,
  status,
  stage,
  commit,
  push,
  pull,
  fetch: fetchFromRemote,
  branches,
  createBranch,
  switchBranch,
  log,
  diff,
  blame,
  remotes,
  removeRemote,
};

export function isOperation(name: string): name is keyof GitOperations {
  return Object.hasOwn(OPERATIONS, name);
}

export interface Git {
  /** Runs one operation; `protocol.ts` describes its input and output. Every failure is an `AppError`. */
  run<Name extends keyof GitOperations>(
    name: Name,
    input: GitOperations[Name]["input"],
    options?: {
      signal?: AbortSignal | undefined;
      onProgress?: ((progress: GitProgress) => void) | undefined;
    },
  ): Promise<GitOperations[Name]["output"]>;
}

/**
 * Git over a project's files. `clone` gets an empty tree, which its caller makes the project's once it is complete.
 * Hooks, filters, submodules and Git LFS are not supported.
 */
export function createGit({ files, transport }: { files: GitFileSystem; transport: GitTransport }): Git {
  return {
    async run(name, input, { signal, onProgress } = {}) {
      using limit = timeLimit(SHORT.has(name) ? SHORT_TIMEOUT_MS : OPERATION_TIMEOUT_MS, signal);
      try {
        const repository = openRepository(files, transport, { signal: limit.signal, onProgress });
        return await withOwnLocks(() => OPERATIONS[name](repository, input));
      } catch (error) {
        throw toAppError(error, limit.signal);
      }
    },
  };
}
