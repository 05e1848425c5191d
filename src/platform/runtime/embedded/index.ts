import {
  ENTRY_HEADER,
  EntryAnswer,
  EntryHeader,
  STREAM_URL,
  StreamAnswer,
  type Answer,
  type ProjectWorkspaceObject,
} from "#durable-objects/project-workspace/protocol.ts";
import { AppError, type ErrorCode } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { decodeEntries, encodeEntries } from "#src/platform/runtime/entry-stream.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { EntryWithContent } from "#src/platform/runtime/project-storage.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { newSeal, sealed } from "#src/platform/runtime/sealed-body.ts";
import type { Trips } from "#src/platform/trips.ts";

/**
 * Projects in Durable Objects. Failures are `AppError`s: the object's own by their code, `unavailable` when it did not
 * respond.
 */
export function embeddedWorkspaces(
  namespace: DurableObjectNamespace<ProjectWorkspaceObject>,
  trips: Trips,
): ProjectWorkspaces {
  const open = (projectId: string) => {
    trips.objects += 1;
    return namespace.getByName(projectId);
  };
  const runtime = (projectId: string) => runtimeOver(() => open(projectId));
  return { runtime, destroy: (projectId) => runtime(projectId).destroy() };
}

function runtimeOver(open: () => DurableObjectStub<ProjectWorkspaceObject>): ProjectRuntime {
  return {
    stat: (path) => call(open().stat(path)),
    list: (path, options) => call(open().list(path, options)),
    readFile: (path) => call(open().readFile(path)),
    writeFile: (path, content, expected) => call(open().writeFile(path, content, expected)),
    makeDirectory: (path) => call(open().makeDirectory(path)),
    rename: (from, to, expected) => call(open().rename(from, to, expected)),
    remove: (path, options) => call(open().remove(path, options)),
    readTodos: (chatId) => call(open().readTodos(chatId)),
    writeTodos: (chatId, todos) => call(open().writeTodos(chatId, todos)),
    destroy: () => reach(open().destroy()),

    storageState: () => call(open().storageState()),
    freeze: (generation) => call(open().freeze(generation)),
    thaw: (generation) => call(open().thaw(generation)),
    discard: (generation) => call(open().discard(generation)),
    inventory: () => call(open().inventory()),

    async readEntries(paths) {
      const init = { method: "POST", body: JSON.stringify(paths) };
      return decodeEntries(await streamOf(await reach(open().fetch(streamUrl("/entries"), init))));
    },

    async replaceEntries(entries, generation) {
      const sent = noticing(entries);
      const url = streamUrl("/entries", generation === undefined ? {} : { generation: String(generation) });
      try {
        const init = { method: "PUT", body: encodeEntries(sent.entries) };
        const response = await reach(open().fetch(url, init));
        unwrapDone(parseJson(await response.text(), StreamAnswer));
      } catch (error) {
        throw sent.failure() ?? error;
      }
    },

    openShell: (id, options) => call(open().openShell(id, options)),
    writeShell: (id, data) => call(open().writeShell(id, data)),
    readShell: (id, position) => call(open().readShell(id, position)),
    watchShell: async (id, position) =>
      streamOf(await reach(open().fetch(streamUrl("/shell", { id, position: String(position) })))),
    resizeShell: (id, columns, rows) => call(open().resizeShell(id, columns, rows)),
    closeShell: (id) => call(open().closeShell(id)),

    openPipe: async (_, { file }) => {
      throw new AppError("unavailable", `${file} cannot be started: this runtime runs no programs`);
    },
    writePipe: async () => {
      throw new AppError("conflict", "The program has ended");
    },

    runsProcesses: false,
    reservedPorts: [],
    listensOn: async () => false,
    startProcess: (name, { command }) => call(open().startProcess(name, command)),
    stopProcess: (name) => call(open().stopProcess(name)),
    stopProcesses: () => call(open().stopProcesses()),
    processes: () => call(open().processes()),
    readLog: (name) => call(open().readLog(name)),
    watchLog: async (name) => {
      const lines = await call(open().readLog(name));
      return new Blob(lines.map((line) => `${line}\n`)).stream();
    },
    fetchPort: async (port) => {
      throw new AppError("unavailable", `Nothing listens on port ${port}: this runtime runs no programs`);
    },

    async git(name, input, { signal, onProgress } = {}) {
      // Signals do not cross into objects, so the operation gets an id by which it can be ended.
      const id = crypto.randomUUID();
      const workspace = open();
      return endable(
        signal,
        () => call(workspace.git(id, name, input, onProgress)),
        () => workspace.cancelGit(id),
      );
    },

    async readStream(path) {
      const response = await reach(open().fetch(streamUrl("/file", { path })));
      if (response.status === 404) return undefined;
      const body = await streamOf(response);
      const entry = parseJson(decodeURIComponent(response.headers.get(ENTRY_HEADER) ?? ""), EntryHeader);
      return { entry, body };
    },

    async writeStream(path, body, limit, expected) {
      const seal = newSeal();
      const condition = expected === undefined ? {} : { expected: JSON.stringify(expected) };
      const url = streamUrl("/file", { path, limit: String(limit), seal, ...condition });
      const response = await reach(open().fetch(url, { method: "PUT", body: sealed(body, seal) }));
      return unwrap(parseJson(await response.text(), EntryAnswer));
    },

    async exec(command, { cwd = "", env = {}, timeoutMs, readOnly = false, signal }) {
      if (signal?.aborted) return { stdout: "", stderr: "", exitCode: 130, timedOut: false };
      // Signals do not cross into objects, so the command gets an id by which it can be ended.
      const id = crypto.randomUUID();
      const workspace = open();
      return endable(
        signal,
        () => call(workspace.exec(id, command, { cwd, env, timeoutMs, readOnly })),
        () => workspace.cancelExec(id),
      );
    },
  };
}

/** Calls `act`, and ends it when the signal aborts. */
async function endable<T>(
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
  end: () => Promise<void>,
): Promise<T> {
  const cancel = () => void end().catch(() => undefined);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return await act();
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

function streamUrl(place: "/file" | "/entries" | "/shell", query: Record<string, string> = {}): string {
  return `${STREAM_URL}${place}?${new URLSearchParams(query).toString()}`;
}

async function call<T>(pending: Promise<Answer<T>>): Promise<T> {
  return unwrap(await reach(pending));
}

function unwrap<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  throw new AppError(answer.code, answer.message);
}

function unwrapDone(answer: { ok: true } | { ok: false; code: ErrorCode; message: string }): void {
  if (!answer.ok) throw new AppError(answer.code, answer.message);
}

/** Returns the body of a response that is a stream. */
async function streamOf(response: Response): Promise<ReadableStream<Uint8Array>> {
  if (response.ok && response.body) return response.body;
  unwrapDone(parseJson(await response.text(), StreamAnswer));
  throw new AppError("internal", "The project's workspace returned an unexpected response");
}

/**
 * Returns the same entries, and the error of their iteration: that error, rather than the broken stream, is the cause
 * of a failure.
 */
function noticing(entries: AsyncIterable<EntryWithContent>): {
  entries: AsyncIterable<EntryWithContent>;
  failure: () => unknown;
} {
  let failure: unknown;
  async function* noticed() {
    try {
      yield* entries;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { entries: noticed(), failure: () => failure };
}

/**
 * Maps failures to reach an object. An object that was moved, replaced or is overloaded fails temporarily; an error
 * that the object itself threw is a defect.
 */
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
