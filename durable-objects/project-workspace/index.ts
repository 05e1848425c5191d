import { DurableObject } from "cloudflare:workers";
import { objectServices } from "#durable-objects/lib/object-services.ts";
import { migrate } from "#durable-objects/lib/sql-migrations.ts";
import type { GitOperations, GitProgress } from "#src/git/protocol.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ExpectedVersion } from "#src/platform/runtime/expected-version.ts";
import type { ProcessState } from "#src/platform/runtime/project-processes.ts";
import type { ExecResult, FileEntry } from "#src/platform/runtime/project-runtime.ts";
import type { ShellOptions, ShellOutput } from "#src/platform/runtime/project-shells.ts";
import type { InventoryEntry, StorageState } from "#src/platform/runtime/project-storage.ts";
import { absentAsUndefined, answer, toFileEntry } from "./answer.ts";
import { FileContents } from "./file-contents.ts";
import { FileError } from "./file-error.ts";
import { FileTransfer } from "./file-transfer.ts";
import { FileTree } from "./file-tree.ts";
import { GitRuns } from "./git-runs.ts";
import { ProcessRecords } from "./process-records.ts";
import { ProjectFiles } from "./project-files.ts";
import type { Answer, CommandOptions, ProjectWorkspaceObject } from "./protocol.ts";
import { RunningCommands } from "./running-commands.ts";
import { MIGRATIONS } from "./schema.ts";
import { ShellRecords } from "./shell-records.ts";
import { ShellSessions } from "./shell-sessions.ts";
import { StorageGate } from "./storage-gate.ts";
import { serveStream } from "./streams.ts";
import { TodoLists } from "./todo-lists.ts";

/** Largest file of one call; a call carries at most 32 MiB. */
const CALL_BYTES = 24 * 1024 * 1024;
/** Largest response of a git host: a pack is in memory about three times while it is unpacked. */
const GIT_PACK_BYTES = 32 * 1024 * 1024;
/** After a project's end its bucket prefix is emptied once more: an upload may have been under way. */
const LAST_SWEEP_MS = 60 * 60 * 1000;
const SWEEP_EVERY_MS = 5 * 60 * 1000;

/**
 * One object per project: its files, the commands and shell sessions that run over them, and its agents' to-do lists.
 * Kept until `destroy`.
 */
export class ProjectWorkspace extends DurableObject<object> implements ProjectWorkspaceObject {
  readonly #log: Log;
  readonly #files: ProjectFiles;
  readonly #contents: FileContents;
  readonly #todos: TodoLists;
  readonly #gate: StorageGate;
  readonly #transfer: FileTransfer;
  readonly #commands: RunningCommands;
  readonly #shellRecords: ShellRecords;
  readonly #shells: ShellSessions;
  readonly #git: GitRuns;
  readonly #processes: ProcessRecords;

  constructor(ctx: DurableObjectState, bindings: object) {
    super(ctx, bindings);
    const { storage } = ctx;
    const { config: env, log, gitTransport, commandRunner: runner } = objectServices(bindings);
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
    this.#gate = new StorageGate(storage.kv);
    const [contents, gate, now] = [this.#contents, this.#gate, Date.now];
    this.#files = new ProjectFiles(new FileTree({ storage, now, gate, table: "entries" }), contents);
    this.#transfer = new FileTransfer({ storage, files: this.#files, contents, gate, now });
    this.#commands = new RunningCommands({ project, files: this.#files, runner }, gate);
    this.#shellRecords = new ShellRecords({ storage, now });
    this.#shells = new ShellSessions({
      project,
      files: this.#files,
      runner,
      gate,
      records: this.#shellRecords,
      onEnd: () => ctx.waitUntil(this.#scheduleSweep()),
      log: this.#log,
    });
    const transport = gitTransport(GIT_PACK_BYTES);
    this.#git = new GitRuns({
      files: this.#files,
      transfer: this.#transfer,
      gate,
      transport,
      log: this.#log,
    });
    this.#processes = new ProcessRecords({ sql: storage.sql, now });
    this.#todos = new TodoLists(storage.sql);
    void ctx.blockConcurrencyWhile(() => this.#recover());
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

  writeFile(path: string, content: Uint8Array, expected?: ExpectedVersion): Promise<Answer<FileEntry>> {
    return answer(async () => {
      if (content.length > CALL_BYTES) throw new FileError("EFBIG", path);
      return toFileEntry(await this.#files.write(path, content, expected));
    });
  }

  makeDirectory(path: string): Promise<Answer<void>> {
    return answer(() => this.#files.tree.makeDirectory(path, { parents: true }));
  }

  rename(from: string, to: string, expected?: ExpectedVersion): Promise<Answer<void>> {
    return answer(() => this.#files.move(from, to, { replace: false, expected }));
  }

  remove(
    path: string,
    options: { recursive: boolean; expected?: ExpectedVersion | undefined },
  ): Promise<Answer<void>> {
    return answer(() => this.#files.remove(path, options));
  }

  // ── RPC: commands ──────────────────────────────────────────────────

  exec(id: string, command: string, options: CommandOptions): Promise<Answer<ExecResult>> {
    return answer(() => this.#commands.run(id, command, options));
  }

  async cancelExec(id: string): Promise<void> {
    this.#commands.end(id);
  }

  // ── RPC: to-do lists ───────────────────────────────────────────────

  readTodos(chatId: string): Promise<Answer<string | undefined>> {
    return answer(() => this.#todos.read(chatId));
  }

  writeTodos(chatId: string, list: string): Promise<Answer<void>> {
    return answer(() => {
      if (this.#gate.isDestroyed) throw new FileError("ESTALE", "");
      this.#todos.write(chatId, list);
    });
  }

  // ── RPC: the files as a whole ──────────────────────────────────────

  storageState(): Promise<Answer<StorageState>> {
    return answer(() => this.#transfer.state());
  }

  freeze(generation: number): Promise<Answer<void>> {
    return answer(() => {
      this.#gate.freeze(generation);
      this.#endEverything();
    });
  }

  thaw(generation: number): Promise<Answer<void>> {
    return answer(() => this.#gate.thaw(generation));
  }

  discard(generation: number): Promise<Answer<void>> {
    return answer(() => this.#transfer.discard(generation));
  }

  inventory(): Promise<Answer<InventoryEntry[]>> {
    return answer(() => this.#transfer.inventory());
  }

  // ── RPC: shell sessions ────────────────────────────────────────────

  openShell(id: string, options: ShellOptions): Promise<Answer<void>> {
    return answer(() => this.#shells.open(id, options));
  }

  writeShell(id: string, data: string): Promise<Answer<void>> {
    return answer(() => this.#shells.write(id, data));
  }

  readShell(id: string, position: number): Promise<Answer<ShellOutput>> {
    return answer(() => this.#shells.read(id, position));
  }

  resizeShell(id: string, columns: number, rows: number): Promise<Answer<void>> {
    return answer(() => this.#shells.resize(id, columns, rows));
  }

  closeShell(id: string): Promise<Answer<void>> {
    return answer(() => this.#shells.close(id));
  }

  // ── RPC: git ───────────────────────────────────────────────────────

  git<Name extends keyof GitOperations>(
    id: string,
    name: Name,
    input: GitOperations[Name]["input"],
    onProgress: ((progress: GitProgress) => unknown) | undefined,
  ): Promise<Answer<GitOperations[Name]["output"]>> {
    return answer(() => this.#git.run(id, name, input, onProgress));
  }

  async cancelGit(id: string): Promise<void> {
    this.#git.end(id);
  }

  // ── RPC: processes ─────────────────────────────────────────────────

  startProcess(name: string, command: string): Promise<Answer<void>> {
    return answer(() => {
      this.#gate.checkChange("");
      this.#processes.start(name, command);
    });
  }

  stopProcess(name: string): Promise<Answer<void>> {
    return answer(() => this.#processes.stop(name));
  }

  stopProcesses(): Promise<Answer<void>> {
    return answer(() => this.#endEverything());
  }

  processes(): Promise<Answer<ProcessState[]>> {
    return answer(() => this.#processes.list());
  }

  readLog(name: string): Promise<Answer<string[]>> {
    return answer(() => this.#processes.log(name));
  }

  // ── HTTP: streams in and out ───────────────────────────────────────

  override fetch(request: Request): Promise<Response> {
    return serveStream({ files: this.#files, transfer: this.#transfer, shells: this.#shells }, request);
  }

  // ── The end ────────────────────────────────────────────────────────

  async destroy(): Promise<void> {
    this.#endEverything();
    const { storage } = this.ctx;
    await this.ctx.blockConcurrencyWhile(async () => {
      await storage.deleteAll();
      migrate(storage, MIGRATIONS);
      this.#gate.markDestroyed();
      await storage.setAlarm(Date.now() + LAST_SWEEP_MS);
    });
    await this.#contents.deleteAll();
  }

  // ── Alarm: sweep unreferenced contents ───────────────────

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    // Schedule the next one first: an alarm that fails too often is dropped.
    await storage.setAlarm(Date.now() + SWEEP_EVERY_MS);
    try {
      if (this.#gate.isDestroyed) await this.#contents.deleteAll();
      const isMoreToCome = [await this.#contents.sweep(), this.#shellRecords.sweep()].includes(true);
      if (!isMoreToCome) await storage.deleteAlarm();
    } catch (error) {
      this.#log.error("files could not be swept", { cause: error });
    }
  }

  /** Commands and sessions of an earlier life of the object are over. */
  async #recover(): Promise<void> {
    if (this.#shellRecords.endAll()) await this.#scheduleSweep();
    await this.#transfer.recover();
  }

  #endEverything(): void {
    this.#commands.endAll();
    this.#git.endAll();
    this.#shells.endAll();
    this.#processes.stopAll();
  }

  /** Schedules an alarm while there is something to sweep. */
  async #scheduleSweep(): Promise<void> {
    const { storage } = this.ctx;
    if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + SWEEP_EVERY_MS);
  }
}
