import type { z } from "zod";
import { bodyOf } from "#src/lib/body-of.ts";
import { AppError } from "#src/lib/errors.ts";
import { parseJson, safeParseJson } from "#src/lib/parse-json.ts";
import type { Log } from "#src/platform/log/log.ts";
import { decodeEntries, encodeEntries } from "../entry-stream.ts";
import type { ExpectedVersion } from "../expected-version.ts";
import type { ExecResult, ProjectRuntime } from "../project-runtime.ts";
import type { EntryWithContent } from "../project-storage.ts";
import { newSeal, sealed } from "../sealed-body.ts";
import { bytesOf, requireInside, textOf } from "./bounded-answer.ts";
import { gitOver } from "./git.ts";
import { pipesOver } from "./pipes.ts";
import {
  CommandResult,
  ENTRY_HEADER,
  ERROR_HEADER,
  Failure,
  FileEntries,
  FileEntryWire,
  FoundEntry,
  Inventory,
  Listens,
  LogLines,
  OUTPUT_HEADER,
  OutputHead,
  ProcessStates,
  READ_ONLY_COMMANDS,
} from "./protocol.ts";

/** Sends a request to the workspace server: a path with its query. Rejects when the server does not respond. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

/** The part that the holder of the sandbox implements, because it outlives the workspace server. */
export type HeldOutside = Pick<
  ProjectRuntime,
  "storageState" | "freeze" | "thaw" | "discard" | "destroy" | "readTodos" | "writeTodos"
>;

const CANCELLED: ExecResult = { stdout: "", stderr: "", exitCode: 130, timedOut: false };
/** The largest file that one call carries; streams have no such bound. */
const CALL_BYTES = 24 * 1024 * 1024;

/**
 * A project behind a workspace server. Failures are `AppError`s: the server's own by their code, `unavailable` when it
 * did not respond or broke off.
 */
export function httpRuntime({
  send,
  held,
  reservedPorts = [],
  log,
}: {
  send: Send;
  held: HeldOutside;
  /** Ports of the runtime itself; see `ProjectProcesses`. */
  reservedPorts?: readonly number[];
  log?: Pick<Log, "warn"> | undefined;
}): ProjectRuntime {
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await reach(send(path, { ...init, method }));
    if (response.ok) return response;
    throw await failureOf(response);
  };
  const ask = async <T>(method: string, path: string, schema: z.ZodType<T>, body?: unknown): Promise<T> => {
    const response = await call(method, path, body === undefined ? {} : asJson(body));
    return parseJson(await reach(textOf(response)), schema);
  };
  const tell = async (method: string, path: string, body?: unknown): Promise<void> => {
    const response = await call(method, path, body === undefined ? {} : asJson(body));
    await reach(bytesOf(response));
  };
  const streamOf = async (path: string): Promise<ReadableStream<Uint8Array>> =>
    streamIn(await call("GET", path));

  return {
    ...held,
    runsProcesses: true,
    reservedPorts,

    // ── Files

    stat: async (path) => (await ask("GET", `/files/entry${query({ path })}`, FoundEntry)).entry ?? undefined,

    async list(path, { recursive, exclude = [] }) {
      const url = `/files/list${query({ path, recursive: String(recursive), exclude })}`;
      return (await ask("GET", url, FileEntries)).entries;
    },

    async readFile(path) {
      const url = `/files/content${query({ path, limit: String(CALL_BYTES) })}`;
      const response = await absentAsUndefined(call("GET", url));
      return response && reach(bytesOf(response));
    },

    async writeFile(path, content, expected) {
      if (content.byteLength > CALL_BYTES) {
        throw new AppError("too_large", `"${path.slice(0, 300)}": file too large`);
      }
      const url = `/files/content${query({ path, size: String(content.byteLength), ...asQuery(expected) })}`;
      const response = await call("PUT", url, { body: content });
      return parseJson(await reach(textOf(response)), FileEntryWire);
    },

    async readStream(path) {
      const response = await absentAsUndefined(call("GET", `/files/content${query({ path })}`));
      if (!response) return undefined;
      const header = response.headers.get(ENTRY_HEADER) ?? "";
      return {
        entry: parseJson(decodeURIComponent(header), FileEntryWire),
        body: streamIn(response),
      };
    },

    async writeStream(path, body, limit, expected) {
      const seal = newSeal();
      const url = `/files/content${query({ path, limit: String(limit), seal, ...asQuery(expected) })}`;
      const response = await call("PUT", url, { body: sealed(body, seal) });
      return parseJson(await reach(textOf(response)), FileEntryWire);
    },

    makeDirectory: (path) => tell("POST", `/files/directory${query({ path })}`),
    rename: (from, to, expected) => tell("POST", "/files/move", { from, to, expected }),
    remove: (path, { recursive, expected }) =>
      tell("DELETE", `/files/entry${query({ path, recursive: String(recursive), ...asQuery(expected) })}`),

    // ── Files as a whole

    async inventory() {
      const { entries, tooLong } = await ask("GET", "/storage/inventory", Inventory);
      if (tooLong > 0) log?.warn("files with too long paths were left out", { entries: tooLong });
      for (const entry of entries) requireInside(entry);
      return entries;
    },

    async readEntries(paths) {
      const response = await call("POST", "/storage/read", asJson({ paths }));
      return insideOnly(decodeEntries(streamIn(response)));
    },

    async replaceEntries(entries, generation) {
      const sent = rememberingFailure(entries);
      const url = `/storage/entries${generation === undefined ? "" : query({ generation: String(generation) })}`;
      try {
        const response = await call("PUT", url, { body: encodeEntries(sent.entries) });
        await reach(bytesOf(response));
      } catch (error) {
        // The first failure is the cause.
        throw sent.failure() ?? error;
      }
    },

    // ── Commands

    async exec(command, { cwd = "", env = {}, timeoutMs, readOnly = false, signal }) {
      if (signal?.aborted) return CANCELLED;
      const id = crypto.randomUUID();
      const connection = new AbortController();
      const path = readOnly ? READ_ONLY_COMMANDS : "/commands";
      const cancel = () => {
        // The command has a separate sandbox, which ends with its connection.
        if (readOnly) return connection.abort();
        // If the server does not know the command, its request has not arrived yet: aborting the connection ends it.
        void tell("DELETE", `/commands/${id}`).catch(() => connection.abort());
      };
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        const body = asJson({ ...(!readOnly && { id }), command, cwd, env, timeoutMs });
        const response = await call("POST", path, { ...body, signal: connection.signal });
        return parseJson(await reach(textOf(response)), CommandResult);
      } catch (error) {
        if (connection.signal.aborted) return CANCELLED;
        throw error;
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },

    // ── Shells

    openShell: (id, { command, cwd = "", env = {}, columns, rows }) =>
      tell("PUT", `/shells/${id}`, { command, cwd, env, columns, rows }),
    writeShell: (id, data) => tell("POST", `/shells/${id}/input`, { data }),

    async readShell(id, position) {
      const url = `/shells/${id}/output${query({ position: String(position) })}`;
      const response = await call("GET", url);
      const data = await reach(bytesOf(response));
      return { data, ...parseJson(response.headers.get(OUTPUT_HEADER) ?? "", OutputHead) };
    },

    watchShell: (id, position) => streamOf(`/shells/${id}/stream${query({ position: String(position) })}`),
    resizeShell: (id, columns, rows) => tell("PUT", `/shells/${id}/size`, { columns, rows }),
    closeShell: (id) => tell("DELETE", `/shells/${id}`),

    // ── Pipes

    ...pipesOver({
      open: async (path, body) => streamIn(await call("POST", path, asJson(body))),
      tell: (path, body) => tell("POST", path, body),
    }),

    // ── Processes

    startProcess: (name, { command, cwd = "", env = {} }) =>
      tell("PUT", `/processes/${encodeURIComponent(name)}`, { command, cwd, env }),
    stopProcess: (name) => tell("DELETE", `/processes/${encodeURIComponent(name)}`),
    stopProcesses: () => tell("POST", "/stop"),
    processes: async () => (await ask("GET", "/processes", ProcessStates)).processes,

    async listensOn(name, port) {
      const url = `/processes/${encodeURIComponent(name)}/listens${query({ port: String(port) })}`;
      return (await ask("GET", url, Listens)).listens;
    },

    async readLog(name, lines, { ofLastRun } = { ofLastRun: false }) {
      const asked = { lines: String(lines), ...(ofLastRun && { run: "last" }) };
      const url = `/processes/${encodeURIComponent(name)}/log${query(asked)}`;
      return (await ask("GET", url, LogLines)).lines;
    },

    watchLog: (name, lines) =>
      streamOf(`/processes/${encodeURIComponent(name)}/log/stream${query({ lines: String(lines) })}`),

    async fetchPort(port, request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers, body, signal } = request;
      const init: RequestInit = { method, headers, body, signal, redirect: "manual" };
      const response = await reach(send(`/port/${port}${pathname}${search}`, init));
      if (response.headers.has(ERROR_HEADER)) throw await failureOf(response);
      return response;
    },

    git: gitOver(call),
  };
}

function asJson(value: unknown): RequestInit {
  return { body: JSON.stringify(value), headers: { "content-type": "application/json" } };
}

function query(values: Readonly<Record<string, string | readonly string[]>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
  return `?${new URLSearchParams(pairs).toString()}`;
}

function asQuery(expected: ExpectedVersion | undefined): Record<string, string> {
  return expected === undefined ? {} : { expected: JSON.stringify(expected) };
}

/** Maps a failed or aborted request to an `AppError`. */
async function reach<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (cause) {
    throw new AppError("unavailable", "The project's workspace did not answer; try again", { cause });
  }
}

async function failureOf(response: Response): Promise<AppError> {
  const text = await reach(textOf(response));
  const failure = response.headers.has(ERROR_HEADER) ? safeParseJson(text, Failure)?.value : undefined;
  // A wrong workspace secret is an internal problem: it must not look like the user's lost sign-in.
  if (failure && failure.code !== "unauthenticated") return new AppError(failure.code, failure.message);
  return new AppError("unavailable", "The project's workspace did not answer; try again", {
    cause: new Error(`It answered ${response.status}`),
  });
}

async function absentAsUndefined(pending: Promise<Response>): Promise<Response | undefined> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

function streamIn(response: Response): ReadableStream<Uint8Array> {
  return bodyOf(response) ?? new ReadableStream({ start: (controller) => controller.close() });
}

async function* insideOnly(entries: AsyncIterable<EntryWithContent>): AsyncGenerator<EntryWithContent> {
  for await (const each of entries) {
    requireInside(each.entry);
    yield each;
  }
}

/** Returns the entries and a function for the error that their iteration threw. */
function rememberingFailure(entries: AsyncIterable<EntryWithContent>): {
  entries: AsyncIterable<EntryWithContent>;
  failure: () => unknown;
} {
  let failure: unknown;
  const watched = async function* () {
    try {
      yield* entries;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return { entries: watched(), failure: () => failure };
}
