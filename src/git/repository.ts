import * as git from "isomorphic-git";
import { AppError } from "#src/lib/errors.ts";
import type { GitFileSystem } from "./file-system.ts";
import { isomorphicFiles } from "./isomorphic-files.ts";
import type { GitProgress, GitRemote } from "./protocol.ts";
import { remoteHttp } from "./remote-http.ts";
import { checkRemote } from "./remote-url.ts";
import type { GitTransport } from "./transport.ts";

/** The context of every operation. */
export interface Repository {
  /** First argument of isomorphic-git's functions, merged with their own options. */
  at: { fs: ReturnType<typeof isomorphicFiles>; dir: string; gitdir: string; cache: object };
  files: GitFileSystem;
  signal: AbortSignal;
  onProgress: (progress: GitProgress) => void;
  /** Returns the options with which isomorphic-git's functions contact a remote. */
  over(remote: GitRemote): { http: ReturnType<typeof remoteHttp>; url: string; corsProxy: string };
}

export function openRepository(
  files: GitFileSystem,
  transport: GitTransport,
  options: { signal: AbortSignal; onProgress?: ((progress: GitProgress) => void) | undefined },
): Repository {
  // isomorphic-git's locks are keyed by path and shared in the process: a unique directory keeps projects from waiting
  // for one another.
  const dir = `/${crypto.randomUUID()}`;
  const { signal, onProgress = () => undefined } = options;
  return {
    at: { fs: isomorphicFiles(files, dir, signal), dir, gitdir: `${dir}/.git`, cache: {} },
    files,
    signal,
    onProgress,
    over(remote) {
      const checked = checkRemote(remote);
      // An empty proxy keeps isomorphic-git from using a proxy of the repository's own configuration.
      return { http: remoteHttp(transport, checked, signal), url: checked.url, corsProxy: "" };
    },
  };
}

/** Yields to other work between synchronous pieces of work. Throws the reason once the operation has ended. */
export async function pause({ signal }: Repository): Promise<void> {
  await new Promise((done) => setTimeout(done, 0));
  signal.throwIfAborted();
}

/** Whether there is a repository; a `.git` that is a link or a file leading elsewhere does not count. */
export async function hasRepository({ files }: Repository): Promise<boolean> {
  const entry = await files.lstat(".git").catch(() => undefined);
  if (entry?.kind !== "directory") return false;
  return (await files.lstat(".git/HEAD").catch(() => undefined))?.kind === "file";
}

/** Throws `not_found`. */
export async function requireRepository(repository: Repository): Promise<void> {
  if (!(await hasRepository(repository)))
    throw new AppError("not_found", "The project has no git repository");
}

/** Returns the current branch, even without a commit; undefined when a commit is checked out. */
export async function currentBranch({ at }: Repository): Promise<string | undefined> {
  return (await git.currentBranch({ ...at, test: false })) ?? undefined;
}

/** Same as `currentBranch`; throws `conflict` when a commit is checked out. */
export async function requireBranch(repository: Repository): Promise<string> {
  const branch = await currentBranch(repository);
  if (branch === undefined) {
    throw new AppError("conflict", "A commit is checked out, not a branch: switch to a branch first");
  }
  return branch;
}

/** Returns the commit of a reference, if it exists. */
export async function resolve({ at }: Repository, ref: string): Promise<string | undefined> {
  try {
    return await git.resolveRef({ ...at, ref });
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError) return undefined;
    throw error;
  }
}

/** Same as `resolve` for a branch of this repository; throws `not_found`. */
export async function requireCommit(repository: Repository, branch: string): Promise<string> {
  const sha = await resolve(repository, `refs/heads/${branch}`);
  if (sha === undefined) throw new AppError("not_found", `There is no branch ${branch}`);
  return sha;
}
