import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { isReading } from "#src/git/is-reading.ts";
import type { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { CloneInput, type ReadOnlyCommand } from "#src/platform/runtime/http-runtime/protocol.ts";
import { DiskWatch } from "./disk-watch.ts";
import { forward, forwardUpgrade } from "./forward.ts";
import { GitRun, type GitKind, type GitRequest } from "./git-run.ts";
import { exceeded } from "./limits.ts";
import type { ProjectFolder } from "./project-folder.ts";
import { ReadOnlyRun } from "./read-only-run.ts";
import { Sandbox } from "./sandbox.ts";
import type { SandboxHost } from "./sandbox-process.ts";
import { StorageGate } from "./storage-gate.ts";
import type { StorageState } from "#src/platform/runtime/project-storage.ts";
import { watch } from "./watchdog.ts";

/** A request to the sandbox. */
export interface ProjectRequest {
  /** Path and query inside the sandbox. */
  path: string;
  /** Changes nothing, so that it is served while the files are being moved away. */
  isRead: boolean;
  /** Ends a program, so that nothing has to be done when no sandbox runs. */
  ends: boolean;
  /** Stores bytes, so that it is refused while the project is over its disk limit. */
  stores: boolean;
  /** A command, which has a result even when its sandbox is ended. */
  isCommand: boolean;
}

/** One project: the gate before its files, and the sandbox that is started on demand. */
export class Project {
  readonly #id: string;
  readonly #host: SandboxHost;
  readonly #lingerMs: number;
  readonly #folder: ProjectFolder;
  readonly #gate: StorageGate;
  readonly #disk: DiskWatch;
  readonly #recovered: Promise<void>;
  #sandbox: Promise<Sandbox> | undefined;
  /** Operations and commands in separate sandboxes. */
  readonly #runs = new Set<GitRun | ReadOnlyRun>();
  /** Queues for git operations that read, and for those that change files together with moves of the files. */
  readonly #gitTurns: Record<GitKind, Promise<unknown>> = {
    read: Promise.resolve(),
    change: Promise.resolve(),
  };
  /** The clone of the latest term. Executors from before this host's start have ended with its service. */
  #clone: { term: number; run?: GitRun } = { term: 0 };
  /** Read-only commands run one after the other: each may use as much as the project. */
  #readOnlyTurn: Promise<unknown> = Promise.resolve();
  #moveTurn: Promise<unknown> = Promise.resolve();
  #replacement: string | undefined;

  constructor(host: SandboxHost, id: string, folder: ProjectFolder, lingerMs: number) {
    this.#id = id;
    this.#host = host;
    this.#lingerMs = lingerMs;
    this.#folder = folder;
    this.#gate = new StorageGate(folder.path);
    this.#disk = new DiskWatch(folder.path, host.limits.diskBytes);
    this.#recovered = this.#recover();
    // Callers that await it get the failure.
    this.#recovered.catch(() => undefined);
  }

  /** Recovers after a kill, which may have left files that are absent by the record, or half moved into place. */
  async #recover(): Promise<void> {
    const { state } = this.#gate.current;
    if (state === "destroyed") await this.#folder.removeAllBut(KEPT_OF_DESTROYED);
    else if (state === "absent") await this.#folder.removeFiles();
    await this.#folder.recover();
  }

  get isDestroyed(): boolean {
    return this.#gate.isDestroyed;
  }

  async storageState(): Promise<StorageState> {
    await this.#ready();
    const { state, generation, lost } = this.#gate.current;
    return { state: state === "destroyed" ? "absent" : state, generation, ...(lost && { lost }) };
  }

  /** Waits for the recovery, and notices when the files are gone: they are absent from then on. */
  async #ready(): Promise<void> {
    await this.#recovered;
    const { state } = this.#gate.current;
    if ((state !== "present" && state !== "frozen") || !this.#folder.isLost) return;
    this.#host.log(`The files of project ${this.#id} are gone`);
    await this.#inTurn(() => this.#gate.lose());
  }

  /** Passes a request to the sandbox. */
  async answer(request: IncomingMessage, response: ServerResponse, wanted: ProjectRequest): Promise<void> {
    if (wanted.ends && !(await this.#isRunning())) {
      response.writeHead(204).end();
      return;
    }
    const sandbox = await this.#sandboxFor(wanted);
    try {
      await forward(request, response, sandbox, { path: wanted.path });
    } catch (error) {
      if (sandbox.endedFor === undefined || !wanted.isCommand || response.headersSent) throw error;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(killedFor(sandbox.endedFor)));
    }
  }

  async upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    wanted: ProjectRequest,
  ): Promise<void> {
    await forwardUpgrade(request, socket, head, await this.#sandboxFor(wanted), wanted.path);
  }

  /** Replaces all files; a second replacement breaks off the first one. */
  async replace(
    request: IncomingMessage,
    response: ServerResponse,
    { path, generation }: { path: string; generation: number | undefined },
  ): Promise<void> {
    await this.#ready();
    this.#gate.checkReplace(generation);
    if (this.#replacement !== undefined) await this.#endSandbox();
    const replacement = randomUUID();
    this.#replacement = replacement;
    try {
      const sandbox = await this.#started();
      this.#gate.checkReplace(generation);
      this.#disk.expectChange();
      await forward(request, response, sandbox, {
        path,
        onSuccess: () => this.#inTurn(() => this.#gate.replaced(generation)),
      });
    } finally {
      if (this.#replacement === replacement) this.#replacement = undefined;
    }
  }

  async git(response: ServerResponse, name: string, input: unknown): Promise<void> {
    await this.#ready();
    const term = name === "clone" ? CloneInput.parse(input).term : undefined;
    if (term !== undefined) this.#supersede(term);
    const kind = isReading(name) ? "read" : "change";
    const run = this.#gitTurns[kind].then(() => {
      if (response.closed) return undefined;
      return name === "clone"
        ? this.#makeClone(response, input, term)
        : this.#git(response, kind, name, input);
    });
    this.#gitTurns[kind] = run.catch(() => undefined);
    await run;
  }

  async #git(response: ServerResponse, kind: GitKind, name: string, input: unknown): Promise<void> {
    if (kind === "read") this.#gate.checkRead();
    else this.#checkGitChange();
    const { files } = this.#folder;
    await this.#runGit(response, { kind, name, input, files, disk: this.#disk });
  }

  async #makeClone(response: ServerResponse, input: unknown, term: number | undefined): Promise<void> {
    this.#checkGitChange();
    this.#checkTerm(term);
    const files = this.#folder.newFiles();
    const { generation } = this.#gate.current;
    const onSuccess = () => this.#takeOver(files, { generation, term });
    try {
      await this.#runGit(response, {
        kind: "change",
        name: "clone",
        input,
        files,
        disk: this.#disk,
        onSuccess,
      });
    } finally {
      await this.#folder.sweep();
    }
  }

  async #runGit(response: ServerResponse, request: GitRequest): Promise<void> {
    const run = new GitRun(this.#host, this.#id, request);
    if (request.name === "clone") this.#clone.run = run;
    await this.#answerBy(run, response);
  }

  /** Runs a command that cannot change the project. */
  async runReadOnly(response: ServerResponse, command: z.infer<typeof ReadOnlyCommand>): Promise<void> {
    await this.#ready();
    const run = this.#readOnlyTurn.then(() =>
      response.closed ? undefined : this.#runReadOnly(response, command),
    );
    this.#readOnlyTurn = run.catch(() => undefined);
    await run;
  }

  async #runReadOnly(response: ServerResponse, command: z.infer<typeof ReadOnlyCommand>): Promise<void> {
    this.#gate.checkRead();
    const { files } = this.#folder;
    await this.#answerBy(await ReadOnlyRun.start(this.#host, this.#id, { command, files }), response);
  }

  async #answerBy(run: GitRun | ReadOnlyRun, response: ServerResponse): Promise<void> {
    this.#runs.add(run);
    try {
      await run.answer(response);
    } finally {
      this.#runs.delete(run);
    }
  }

  #checkGitChange(): void {
    this.#gate.checkChange();
    this.#checkDisk();
  }

  /** Ends the clone of an earlier executor, whose result is no longer awaited. */
  #supersede(term: number): void {
    this.#checkTerm(term);
    void this.#clone.run?.process.end();
    this.#clone = { term };
  }

  #checkTerm(term: number | undefined): void {
    if (term !== undefined && term < this.#clone.term) {
      throw new AppError("conflict", "Another clone of the project has begun");
    }
  }

  /** Makes the files of a clone the project's. */
  #takeOver(
    files: string,
    { generation, term }: { generation: number; term: number | undefined },
  ): Promise<void> {
    return this.#inTurn(async () => {
      this.#checkTerm(term);
      this.#gate.checkChange();
      if (this.#gate.current.generation !== generation) {
        throw new AppError("conflict", "The project's files have been moved meanwhile");
      }
      await this.#endSandbox();
      await this.#folder.takeOver(files);
    });
  }

  async freeze(generation: number): Promise<void> {
    await this.#ready();
    await this.#inTurn(async () => {
      await this.#gate.freeze(generation);
      await this.#endAll();
    });
  }

  async thaw(generation: number): Promise<void> {
    await this.#ready();
    await this.#inTurn(() => this.#gate.thaw(generation));
  }

  async discard(generation: number): Promise<void> {
    await this.#ready();
    await this.#inTurn(async () => {
      await this.#gate.discard(generation);
      await this.#endAll();
      await this.#folder.removeFiles();
    });
  }

  /** Final: only a record that says so remains. */
  async destroy(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#gate.destroy();
      await this.#endAll();
      await this.#folder.removeAllBut(KEPT_OF_DESTROYED);
    });
  }

  /** Ends all processes; the project's data stays. */
  async close(): Promise<void> {
    await this.#endAll();
  }

  #inTurn<T>(move: () => Promise<T>): Promise<T> {
    const turn = this.#moveTurn.then(move);
    this.#moveTurn = turn.catch(() => undefined);
    return turn;
  }

  async #sandboxFor(wanted: ProjectRequest): Promise<Sandbox> {
    await this.#ready();
    this.#check(wanted);
    const sandbox = await this.#started();
    // Check again: the files may have been frozen while the sandbox started.
    this.#check(wanted);
    return sandbox;
  }

  #check({ isRead, stores }: ProjectRequest): void {
    if (isRead) this.#gate.checkRead();
    else this.#gate.checkChange();
    if (stores) this.#checkDisk();
    // Removing files may bring the project below its limit: measure again.
    else if (!isRead && this.#disk.isOver) this.#disk.expectChange();
  }

  #checkDisk(): void {
    if (this.#disk.isOver) throw new AppError("too_large", exceeded.disk(this.#host.limits));
  }

  /** Returns the running sandbox, or starts one. One start at a time. */
  async #started(): Promise<Sandbox> {
    const current = this.#sandbox;
    const sandbox = await current?.catch(() => undefined);
    if (sandbox && !sandbox.hasEnded) return sandbox;
    await sandbox?.process.ended;
    // Another caller may have replaced it already.
    if (this.#sandbox === current) this.#sandbox = this.#start();
    return this.#sandbox ?? this.#started();
  }

  async #start(): Promise<Sandbox> {
    const { path: dir, files } = this.#folder;
    const sandbox = await Sandbox.start(this.#host, { name: this.#id, dir, files });
    const { limits, log } = this.#host;
    watch({ sandbox, disk: this.#disk, limits, lingerMs: this.#lingerMs }).catch((error: unknown) => {
      // Without a watchdog the sandbox must not run.
      log(`Watching project ${this.#id} failed: ${String(error)}`);
      void sandbox.end();
    });
    return sandbox;
  }

  async #isRunning(): Promise<boolean> {
    const sandbox = await this.#sandbox?.catch(() => undefined);
    return sandbox !== undefined && !sandbox.hasEnded;
  }

  async #endSandbox(): Promise<void> {
    const sandbox = await this.#sandbox?.catch(() => undefined);
    await sandbox?.end("The project is being stopped");
  }

  async #endAll(): Promise<void> {
    await Promise.all([this.#endSandbox(), ...[...this.#runs].map((run) => run.process.end())]);
  }
}

/** Files that remain of a destroyed project. */
const KEPT_OF_DESTROYED: readonly string[] = ["state.json"];

function killedFor(message: string): { stdout: string; stderr: string; exitCode: number; timedOut: boolean } {
  return { stdout: "", stderr: `${message}\n`, exitCode: 137, timedOut: false };
}
