import { DurableObject } from "cloudflare:workers";
import { objectSettings } from "#durable-objects/lib/settings.ts";
import { migrate } from "#durable-objects/lib/sql-migrations.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { FileContents } from "./file-contents.ts";
import { FileError } from "./file-error.ts";
import { FileTree, type Entry } from "./file-tree.ts";
import { baseName } from "./paths.ts";
import { isFileError, ProjectFiles } from "./project-files.ts";
import { ENTRY_HEADER, type Answer } from "./protocol.ts";
import { runCommand, type CommandResult } from "./run-command.ts";
import { MIGRATIONS } from "./schema.ts";
import { unsealed } from "./seal.ts";
import { TodoLists } from "./todo-lists.ts";

/** Largest file that one call carries; a call takes at most 32 MiB. */
const CALL_BYTES = 24 * 1024 * 1024;
/** After a project's end its bucket prefix is emptied once more: an upload may have been on its way. */
const LAST_SWEEP_MS = 60 * 60 * 1000;
const SWEEP_EVERY_MS = 5 * 60 * 1000;

/** One per project: its files, the commands that run over them, and its agents' to-do lists. Kept until `destroy`. */
export class ProjectWorkspace extends DurableObject<object> {
  readonly #log: Log;
  readonly #files: ProjectFiles;
  readonly #contents: FileContents;
  readonly #todos: TodoLists;
  readonly #running = new Map<string, AbortController>();

  constructor(ctx: DurableObjectState, bindings: object) {
    super(ctx, bindings);
    const { storage } = ctx;
    const { env, log } = objectSettings(bindings);
    const project = ctx.id.name ?? ctx.id.toString();
    this.#log = log.with({ project_id: project });
    migrate(storage, MIGRATIONS);
    this.#contents = new FileContents({
      storage,
      bucket: env.PROJECT_FILES,
      prefix: `projects/${project}/`,
      now: Date.now,
      log: this.#log,
    });
    this.#files = new ProjectFiles(
      new FileTree({ storage, now: Date.now, isGone: () => this.#destroyed }),
      this.#contents,
    );
    this.#todos = new TodoLists(storage.sql);
  }

  // ── RPC: files ─────────────────────────────────────────────────────

  stat(path: string): Promise<Answer<FileEntry | undefined>> {
    return answer(() =>
      absentAsUndefined(() => {
        const entry = this.#files.tree.find(path, { follow: false });
        return entry && toFileEntry({ ...entry, path });
      }),
    );
  }

  list(
    path: string,
    options: { recursive: boolean; exclude?: readonly string[] },
  ): Promise<Answer<FileEntry[]>> {
    return answer(() => this.#files.tree.list(path, options).map(toFileEntry));
  }

  readFile(path: string): Promise<Answer<Uint8Array | undefined>> {
    return answer(() => absentAsUndefined(() => this.#files.read(path, CALL_BYTES)));
  }

  writeFile(path: string, content: Uint8Array): Promise<Answer<FileEntry>> {
    return answer(async () => {
      if (content.length > CALL_BYTES) throw new FileError("EFBIG", path);
      return toFileEntry(await this.#files.write(path, content));
    });
  }

  makeDirectory(path: string): Promise<Answer<void>> {
    return answer(() => this.#files.tree.makeDirectory(path, { parents: true }));
  }

  rename(from: string, to: string): Promise<Answer<void>> {
    return answer(() => this.#files.move(from, to, { replace: false }));
  }

  remove(path: string, options: { recursive: boolean }): Promise<Answer<void>> {
    return answer(() => this.#files.remove(path, options));
  }

  // ── RPC: commands ──────────────────────────────────────────────────

  /** Run a command under a name by which `cancelExec` can end it. */
  exec(
    id: string,
    command: string,
    options: { cwd: string; env: Readonly<Record<string, string>>; timeoutMs: number },
  ): Promise<Answer<CommandResult>> {
    return answer(async () => {
      this.#checkAlive();
      const controller = new AbortController();
      this.#running.set(id, controller);
      try {
        return await runCommand(this.#files, command, { ...options, cancelled: controller.signal });
      } finally {
        this.#running.delete(id);
      }
    });
  }

  /** End a running command; one that has ended is left in peace. */
  async cancelExec(id: string): Promise<void> {
    this.#running.get(id)?.abort();
  }

  // ── RPC: to-do lists ───────────────────────────────────────────────

  readTodos(chatId: string): Promise<Answer<string | undefined>> {
    return answer(() => this.#todos.read(chatId));
  }

  writeTodos(chatId: string, list: string): Promise<Answer<void>> {
    return answer(() => {
      this.#checkAlive();
      this.#todos.write(chatId, list);
    });
  }

  // ── HTTP: bytes in and out ─────────────────────────────────────────

  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const path = searchParams.get("path") ?? "";
    if (request.method === "PUT") {
      const terms = { seal: searchParams.get("seal") ?? "", limit: Number(searchParams.get("limit")) };
      return Response.json(await answer(() => this.#receive(path, request.body, terms)));
    }
    const opened = await answer(() => absentAsUndefined(() => this.#files.open(path)));
    if (!opened.ok) return Response.json(opened, { status: 409 });
    if (!opened.value) return new Response(null, { status: 404 });
    const entry = toFileEntry(opened.value.entry);
    return new Response(opened.value.body, {
      headers: { [ENTRY_HEADER]: encodeURIComponent(JSON.stringify(entry)) },
    });
  }

  async #receive(
    path: string,
    body: ReadableStream<Uint8Array> | null,
    { seal, limit }: { seal: string; limit: number },
  ): Promise<FileEntry> {
    if (!body) throw new FileError("EPIPE", path);
    return toFileEntry(await this.#files.writeChunks(path, unsealed(body, path, seal), limit));
  }

  // ── The end ────────────────────────────────────────────────────────

  /** Delete everything, for good: whatever comes later finds an empty project that takes nothing. Safe to repeat. */
  async destroy(): Promise<void> {
    for (const controller of this.#running.values()) controller.abort();
    const { storage } = this.ctx;
    await this.ctx.blockConcurrencyWhile(async () => {
      await storage.deleteAll();
      migrate(storage, MIGRATIONS);
      storage.kv.put("destroyed", true);
      await storage.setAlarm(Date.now() + LAST_SWEEP_MS);
    });
    await this.#contents.deleteAll();
  }

  // ── Alarm: take away what no file needs any more ───────────────────

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    // First the next one: an alarm that fails too often is dropped.
    await storage.setAlarm(Date.now() + SWEEP_EVERY_MS);
    try {
      if (this.#destroyed) await this.#contents.deleteAll();
      if (!(await this.#contents.sweep())) await storage.deleteAlarm();
    } catch (error) {
      this.#log.error("files could not be swept", { cause: error });
    }
  }

  get #destroyed(): boolean {
    return this.ctx.storage.kv.get("destroyed") === true;
  }

  #checkAlive(): void {
    if (this.#destroyed) throw new FileError("ESTALE", "");
  }
}

/** Failures with a name become data; the rest is thrown on. */
async function answer<T>(act: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await act() };
  } catch (error) {
    const known = error instanceof FileError ? error.toAppError() : error;
    if (known instanceof AppError) return { ok: false, code: known.code, message: known.message };
    throw error;
  }
}

/** Whoever only looks is told that nothing is there, whichever way it is not there. */
async function absentAsUndefined<T>(look: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isFileError(error, "ENOENT", "ENOTDIR", "EISDIR")) return undefined;
    throw error;
  }
}

function toFileEntry({ path, kind, size, modifiedAt }: Entry): FileEntry {
  return { path, name: baseName(path), kind, size, modifiedAt };
}
