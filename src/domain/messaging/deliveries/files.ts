import { callerFor } from "#src/domain/access/permissions/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { normalizePath } from "#src/lib/project-path.ts";
import { readAtMost } from "#src/lib/read-at-most.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Most files that go with one message. */
export const MAX_FILES = 5;

/**
 * Paths of the project's files that an answer links to or shows, as `![chart](out/chart.png)`. Hidden files are not among
 * them, because they hold settings and secrets more often than results.
 */
export async function linkedFiles(markdown: string): Promise<string[]> {
  // Most answers have no link: the parser is not loaded for those.
  if (!markdown.includes("](") && !markdown.includes("]:")) return [];
  const { localLinks } = await import("#src/channels/rendering/local-links.ts");
  const paths = localLinks(markdown).flatMap((link) => pathOf(link) ?? []);
  return [...new Set(paths)].slice(0, MAX_FILES);
}

function pathOf(link: string): string | undefined {
  const [address = ""] = link.split(/[?#]/u);
  try {
    const path = normalizePath(decodeURIComponent(address));
    return path.split("/").some((name) => name.startsWith(".")) ? undefined : path;
  } catch {
    return undefined; // no path of a project, or broken escapes
  }
}

export type FileDeps = Parameters<typeof withRuntime>[0] & { db: Db };

/** With whose rights files of a project are sent: of the user, or of the API key that a task was started with. */
export interface FileOwner {
  userId: string;
  apiKeyId: string | null;
  projectId: string;
}

/** Largest file that is sent: 25 MiB. */
const MAX_FILE_BYTES = 26_214_400;

/**
 * Returns those of the paths that are files of the project. All of them while the project does not respond: what cannot be
 * read later is told to the person then. None when the owner has lost the access.
 */
export async function findFiles(
  deps: FileDeps,
  owner: FileOwner,
  paths: readonly string[],
): Promise<string[]> {
  try {
    return await reading(deps, owner, async (runtime) => {
      const entries = await Promise.all(paths.map((path) => entryAt(runtime, path)));
      return paths.filter((_, index) => entries[index]?.kind === "file");
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.retryable ? [...paths] : [];
  }
}

/** A file to be sent, or why it is not sent. */
export type ReadFile =
  | { bytes: Uint8Array<ArrayBuffer> }
  | { refusal: "missing" | "too large" | "no access" };

/** Reads a file of the project. Throws a retryable `AppError` when the project does not respond. */
export async function readFile(deps: FileDeps, owner: FileOwner, path: string): Promise<ReadFile> {
  try {
    return await reading(deps, owner, async (runtime) => {
      const found = await runtime.readStream(path);
      if (found?.entry.kind !== "file") return { refusal: "missing" };
      const bytes = await readAtMost(found.body, MAX_FILE_BYTES);
      return bytes ? { bytes } : { refusal: "too large" };
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable) throw error;
    return { refusal: error.code === "invalid_input" ? "missing" : "no access" };
  }
}

type Runtime = Parameters<Parameters<typeof withRuntime>[2]>[0];

/** A path that leads out of the project is no file of it. */
async function entryAt(runtime: Runtime, path: string) {
  return runtime.stat(path).catch((error: unknown) => {
    if (error instanceof AppError && !error.retryable) return undefined;
    throw error;
  });
}

async function reading<T>(
  deps: FileDeps,
  owner: FileOwner,
  read: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const access = {
    caller: await callerFor(deps, owner),
    project: owner.projectId,
    scope: "file.read",
  } as const;
  return withRuntime(deps, access, read);
}
