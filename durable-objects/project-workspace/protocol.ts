import { z } from "zod";
import type { GitOperations, GitProgress } from "#src/git/protocol.ts";
import { STATUS, type ErrorCode } from "#src/lib/errors.ts";
import type { ExpectedVersion } from "#src/platform/runtime/expected-version.ts";
import type { ExecResult } from "#src/platform/runtime/project-commands.ts";
import type { FileEntry } from "#src/platform/runtime/project-files.ts";
import type { ProcessState } from "#src/platform/runtime/project-processes.ts";
import type { ShellOptions, ShellOutput } from "#src/platform/runtime/project-shells.ts";
import type { InventoryEntry, StorageState } from "#src/platform/runtime/project-storage.ts";

/**
 * The result of a method of the object: expected failures are data, because an error that crosses the boundary arrives
 * without its class. An error that is thrown is a defect or the object's end.
 */
export type Answer<T> = { ok: true; value: T } | { ok: false; code: ErrorCode; message: string };

/** How a command is run. */
export interface CommandOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** The command cannot change the project. */
  readOnly: boolean;
}

/**
 * The contract of the `ProjectWorkspace` object; one object per project, by the project's id. Methods behave like those
 * of the same name in `ProjectRuntime`, with these differences: failures are data, signals become `cancelExec` and
 * `cancelGit`, and streams go through `fetch`.
 */
export interface ProjectWorkspaceObject extends Rpc.DurableObjectBranded {
  stat(path: string): Promise<Answer<FileEntry | undefined>>;
  list(
    path: string,
    options: { recursive: boolean; exclude?: readonly string[] },
  ): Promise<Answer<FileEntry[]>>;
  readFile(path: string): Promise<Answer<Uint8Array | undefined>>;
  writeFile(path: string, content: Uint8Array, expected?: ExpectedVersion): Promise<Answer<FileEntry>>;
  makeDirectory(path: string): Promise<Answer<void>>;
  rename(from: string, to: string, expected?: ExpectedVersion): Promise<Answer<void>>;
  remove(
    path: string,
    options: { recursive: boolean; expected?: ExpectedVersion | undefined },
  ): Promise<Answer<void>>;

  /** Runs a command under an id by which `cancelExec` can end it. */
  exec(id: string, command: string, options: CommandOptions): Promise<Answer<ExecResult>>;
  /** Ends a running command. Idempotent: nothing happens to a command that has ended. */
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

  /** Runs a git operation under an id by which `cancelGit` can end it. */
  git<Name extends keyof GitOperations>(
    id: string,
    name: Name,
    input: GitOperations[Name]["input"],
    onProgress: ((progress: GitProgress) => unknown) | undefined,
  ): Promise<Answer<GitOperations[Name]["output"]>>;
  /** Ends a running operation. Idempotent: nothing happens to an operation that has ended. */
  cancelGit(id: string): Promise<void>;

  /** Records a program as started: programs do not run here. */
  startProcess(name: string, command: string): Promise<Answer<void>>;
  stopProcess(name: string): Promise<Answer<void>>;
  stopProcesses(): Promise<Answer<void>>;
  processes(): Promise<Answer<ProcessState[]>>;
  readLog(name: string): Promise<Answer<string[]>>;

  /** Deletes everything, for good: later calls find an empty project that accepts nothing. Idempotent. */
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
  version: z.string().optional(),
});

const Refusal = z.object({ ok: z.literal(false), code: Code, message: z.string() });

/** Response to an uploaded file, and the refusal of a requested one. */
export const EntryAnswer = z.union([z.object({ ok: z.literal(true), value: Entry }), Refusal]);

/** Response to uploaded entries, and the refusal of other streams. */
export const StreamAnswer = z.union([z.object({ ok: z.literal(true) }), Refusal]);

/** The paths of requested entries. */
export const Paths = z.array(z.string());

/**
 * `fetch` carries streams only. `/file?path=`: GET returns a file's bytes, PUT with `limit`, `seal` and perhaps
 * `expected` stores a sealed body. `/entries`: POST with paths returns these entries, PUT with `generation` replaces all files by the entries.
 * `/shell?id=&position=`: GET streams a session's output. A refusal has status 409.
 */
export const STREAM_URL = "https://project-workspace";

/**
 * On a response with bytes: the entry as URL-encoded JSON, because names may contain characters that headers cannot.
 */
export const ENTRY_HEADER = "x-file-entry";

export const EntryHeader = Entry;
