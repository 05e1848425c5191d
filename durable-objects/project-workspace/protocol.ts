import { z } from "zod";
import type { GitOperations, GitProgress } from "#src/git/protocol.ts";
import { STATUS, type ErrorCode } from "#src/lib/errors.ts";
import type { ExecResult } from "#src/platform/runtime/project-commands.ts";
import type { FileEntry } from "#src/platform/runtime/project-files.ts";
import type { ProcessState } from "#src/platform/runtime/project-processes.ts";
import type { ShellOptions, ShellOutput } from "#src/platform/runtime/project-shells.ts";
import type { InventoryEntry, StorageState } from "#src/platform/runtime/project-storage.ts";

/**
 * How the object answers: failures it foresees are data, because an error that crosses the boundary arrives without its
 * class. What is thrown is a defect or the object's end.
 */
export type Answer<T> = { ok: true; value: T } | { ok: false; code: ErrorCode; message: string };

/** How a command is run. */
export interface CommandOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** The command can change nothing of the project. */
  readOnly: boolean;
}

/**
 * What callers of the `ProjectWorkspace` object may rely on; one object per project, by the project's id. Methods do what those
 * of the same name in `ProjectRuntime` promise, with these differences: failures are data, signals become `cancelExec` and
 * `cancelGit`, and streams are `fetch`'s.
 */
export interface ProjectWorkspaceObject extends Rpc.DurableObjectBranded {
  stat(path: string): Promise<Answer<FileEntry | undefined>>;
  list(
    path: string,
    options: { recursive: boolean; exclude?: readonly string[] },
  ): Promise<Answer<FileEntry[]>>;
  readFile(path: string): Promise<Answer<Uint8Array | undefined>>;
  writeFile(path: string, content: Uint8Array): Promise<Answer<FileEntry>>;
  makeDirectory(path: string): Promise<Answer<void>>;
  rename(from: string, to: string): Promise<Answer<void>>;
  remove(path: string, options: { recursive: boolean }): Promise<Answer<void>>;

  /** Run a command under a name by which `cancelExec` can end it. */
  exec(id: string, command: string, options: CommandOptions): Promise<Answer<ExecResult>>;
  /** End a running command. Idempotent: nothing happens to a command that has ended. */
  cancelExec(id: string): Promise<void>;

  readTodos(chatId: string): Promise<Answer<string | undefined>>;
  writeTodos(chatId: string, list: string): Promise<Answer<void>>;

  storageState(): Promise<Answer<StorageState>>;
  freeze(generation: number): Promise<Answer<void>>;
  thaw(generation: number): Promise<Answer<void>>;
  discard(generation: number): Promise<Answer<void>>;
  inventory(): Promise<Answer<InventoryEntry[]>>;

  openShell(id: string, options: ShellOptions): Promise<Answer<void>>;
  writeShell(id: string, data: string): Promise<Answer<void>>;
  readShell(id: string, position: number): Promise<Answer<ShellOutput>>;
  resizeShell(id: string, columns: number, rows: number): Promise<Answer<void>>;
  closeShell(id: string): Promise<Answer<void>>;

  /** Run a git operation under a name by which `cancelGit` can end it. */
  git<Name extends keyof GitOperations>(
    id: string,
    name: Name,
    input: GitOperations[Name]["input"],
    onProgress: ((progress: GitProgress) => unknown) | undefined,
  ): Promise<Answer<GitOperations[Name]["output"]>>;
  /** End a running operation. Idempotent: nothing happens to an operation that has ended. */
  cancelGit(id: string): Promise<void>;

  /** Record a program as started: none runs here. */
  startProcess(name: string, command: string): Promise<Answer<void>>;
  stopProcess(name: string): Promise<Answer<void>>;
  stopProcesses(): Promise<Answer<void>>;
  processes(): Promise<Answer<ProcessState[]>>;
  readLog(name: string): Promise<Answer<string[]>>;

  /** Delete everything, for good: a later call finds an empty project that takes nothing. Idempotent. */
  destroy(): Promise<void>;

  /** Streams in and out; see `STREAM_URL`. */
  fetch(request: Request): Promise<Response>;
}

const Code = z.custom<ErrorCode>((value) => typeof value === "string" && value in STATUS);

const Entry = z.object({
  path: z.string(),
  name: z.string(),
  kind: z.enum(["file", "directory", "symlink"]),
  size: z.number(),
  modifiedAt: z.number(),
});

const Refusal = z.object({ ok: z.literal(false), code: Code, message: z.string() });

/** The answer to a file sent in, and the refusal of one asked for. */
export const EntryAnswer = z.union([z.object({ ok: z.literal(true), value: Entry }), Refusal]);

/** The answer to entries sent in, and the refusal of other streams. */
export const StreamAnswer = z.union([z.object({ ok: z.literal(true) }), Refusal]);

/** The paths of entries that are asked for. */
export const Paths = z.array(z.string());

/**
 * `fetch` carries streams only. `/file?path=`: GET answers a file's bytes, PUT with `limit` and `seal` takes them, sealed.
 * `/entries`: POST with paths answers these entries, PUT with `generation` takes entries in place of all files. `/shell?id=
 * &position=`: GET answers a session's output as it comes. A refusal has status 409.
 */
export const STREAM_URL = "https://project-workspace";

/** On an answer with bytes: what they are, as URL-encoded JSON, since names are not limited to what headers carry. */
export const ENTRY_HEADER = "x-file-entry";

export const EntryHeader = Entry;
