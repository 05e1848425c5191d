import type { ProjectWorkspace } from "#durable-objects/project-workspace/index.ts";
import {
  ENTRY_HEADER,
  EntryAnswer,
  EntryHeader,
  STREAM_URL,
  type Answer,
} from "#durable-objects/project-workspace/protocol.ts";
import { newSeal, sealed } from "#durable-objects/project-workspace/seal.ts";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { Trips } from "#src/platform/trips.ts";

/** How the rest of the code reaches projects' files, without knowing that they are in Durable Objects. */
export interface ProjectWorkspaces {
  runtime(projectId: string): ProjectRuntime;
  /** Delete all a project holds, for good. Safe to repeat. */
  destroy(projectId: string): Promise<void>;
}

/** Failures are `AppError`s: the object's own by their code, `unavailable` where it did not answer. */
export function projectWorkspaces(
  namespace: DurableObjectNamespace<ProjectWorkspace>,
  trips: Trips,
): ProjectWorkspaces {
  const open = (projectId: string) => {
    trips.objects += 1;
    return namespace.getByName(projectId);
  };
  return {
    runtime: (projectId) => runtimeOver(() => open(projectId)),
    destroy: (projectId) => reach(open(projectId).destroy()),
  };
}

function runtimeOver(open: () => DurableObjectStub<ProjectWorkspace>): ProjectRuntime {
  return {
    stat: (path) => call(open().stat(path)),
    list: (path, options) => call(open().list(path, options)),
    readFile: (path) => call(open().readFile(path)),
    writeFile: (path, content) => call(open().writeFile(path, content)),
    makeDirectory: (path) => call(open().makeDirectory(path)),
    rename: (from, to) => call(open().rename(from, to)),
    remove: (path, options) => call(open().remove(path, options)),
    readTodos: (chatId) => call(open().readTodos(chatId)),
    writeTodos: (chatId, todos) => call(open().writeTodos(chatId, todos)),

    async readStream(path) {
      const response = await reach(open().fetch(streamUrl({ path })));
      if (response.status === 404) return undefined;
      const header = response.headers.get(ENTRY_HEADER);
      if (!header || !response.body) throw await refusal(response);
      return { entry: parseJson(decodeURIComponent(header), EntryHeader), body: response.body };
    },

    async writeStream(path, body, limit) {
      const seal = newSeal();
      const url = streamUrl({ path, limit: String(limit), seal });
      const response = await reach(open().fetch(url, { method: "PUT", body: sealed(body, seal) }));
      return unwrap(parseJson(await response.text(), EntryAnswer));
    },

    async exec(command, { cwd = "", env = {}, timeoutMs, signal }) {
      if (signal?.aborted) return { stdout: "", stderr: "", exitCode: 130, timedOut: false };
      // Signals do not cross into objects, so the command gets a name by which it can be ended.
      const id = crypto.randomUUID();
      const workspace = open();
      const cancel = () => void workspace.cancelExec(id).catch(() => undefined);
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        return await call(workspace.exec(id, command, { cwd, env, timeoutMs }));
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },
  };
}

function streamUrl(query: Record<string, string>): string {
  return `${STREAM_URL}?${new URLSearchParams(query).toString()}`;
}

async function call<T>(pending: Promise<Answer<T>>): Promise<T> {
  return unwrap(await reach(pending));
}

function unwrap<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw new AppError(answer.code, answer.message);
}

async function refusal(response: Response): Promise<AppError> {
  const answer = parseJson(await response.text(), EntryAnswer);
  return answer.ok
    ? new AppError("internal", "The project's workspace answered out of turn")
    : new AppError(answer.code, answer.message);
}

/** An object that was moved, replaced or is overloaded fails for a while; what it threw itself is a defect. */
async function reach<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (cause) {
    if (isDefect(cause)) throw cause;
    throw new AppError("unavailable", "The project's workspace did not answer; try again", { cause });
  }
}

/** Source: Cloudflare's Durable Objects error handling, properties `remote`, `retryable` and `overloaded`. */
function isDefect(error: unknown): boolean {
  if (!(error instanceof Error) || !("remote" in error)) return false;
  return !("retryable" in error && error.retryable) && !("overloaded" in error && error.overloaded);
}
