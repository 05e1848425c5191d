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
import { watch } from "./watchdog.ts";

/** What is wanted of the sandbox. */
export interface ProjectRequest {
  /** Path and query inside it. */
  path: string;
  /** Changes nothing, so that it is answered while the files are being moved away. */
  isRead: boolean;
  /** Ends something that runs, so that nothing is to be done where nothing does. */
  ends: boolean;
  /** Stores bytes, so that it is refused while the project is over its disk limit. */
  stores: boolean;
  /** A command, which has a result also when its sandbox is ended. */
  isCommand: boolean;
}

/** One project: the gate before its files, and the sandbox that is started when something needs it. */
export class Project {
  readonly #id: string;
  readonly #host: SandboxHost;
  readonly #lingerMs: number;
  readonly #folder: ProjectFolder;
  readonly #gate: StorageGate;
  readonly #disk: DiskWatch;
  readonly #recovered: Promise<void>;
  #sandbox: Promise<Sandbox> | undefined;
  /** What runs in sandboxes of its own. */
  readonly #runs = new Set<GitRun | ReadOnlyRun>();
  /** Git operations that read, those that change something, and moves of the files, one after the other each. */
  readonly #gitTurns: Record<GitKind, Promise<unknown>> = {
    read: Promise.resolve(),
    change: Promise.resolve(),
  };
  /** The clone of the latest term. Whoever was appointed before this host started has ended with its service. */
  #clone: { term: number; run?: GitRun } = { term: 0 };
  /** Commands that may change nothing, one after the other: each may use as much as the project. */
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
    // Whoever uses it learns of a failure.
    this.#recovered.catch(() => undefined);
  }

  /** A service that was killed may have left files that are absent by the record, or half put in place. */
  async #recover(): Promise<void> {
    const { state } = this.#gate.current;
    if (state === "destroyed") await this.#folder.removeAllBut(KEPT_OF_DESTROYED);
    else if (state === "absent") await this.#folder.removeFiles();
    await this.#folder.recover();
  }

  get isDestroyed(): boolean {
    return this.#gate.isDestroyed;
  }

  storageState(): { state: "present" | "frozen" | "absent"; generation: number } {
    const { state, generation } = this.#gate.current;
    return { state: state === "destroyed" ? "absent" : state, generation };
  }

  /** Hand a request to the sandbox. */
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

  /** Put other files in place of all; a second one that comes meanwhile breaks the first one off. */
  async replace(
    request: IncomingMessage,
    response: ServerResponse,
    { path, generation }: { path: string; generation: number | undefined },
  ): Promise<void> {
    await this.#recovered;
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
    await this.#recovered;
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

  /** Run a command that can change nothing of the project. */
  async runReadOnly(response: ServerResponse, command: z.infer<typeof ReadOnlyCommand>): Promise<void> {
    await this.#recovered;
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

  /** Nobody waits for the clone of an executor before this one. */
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

  /** The files of a clone become the project's. */
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
    await this.#recovered;
    await this.#inTurn(async () => {
      await this.#gate.freeze(generation);
      await this.#endAll();
    });
  }

  async thaw(generation: number): Promise<void> {
    await this.#recovered;
    await this.#inTurn(() => this.#gate.thaw(generation));
  }

  async discard(generation: number): Promise<void> {
    await this.#recovered;
    await this.#inTurn(async () => {
      await this.#gate.discard(generation);
      await this.#endAll();
      await this.#folder.removeFiles();
    });
  }

  /** For good: what is left is a record that says so. */
  async destroy(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#gate.destroy();
      await this.#endAll();
      await this.#folder.removeAllBut(KEPT_OF_DESTROYED);
    });
  }

  /** End what runs; the project stays as it is. */
  async close(): Promise<void> {
    await this.#endAll();
  }

  #inTurn<T>(move: () => Promise<T>): Promise<T> {
    const turn = this.#moveTurn.then(move);
    this.#moveTurn = turn.catch(() => undefined);
    return turn;
  }

  async #sandboxFor(wanted: ProjectRequest): Promise<Sandbox> {
    await this.#recovered;
    this.#check(wanted);
    const sandbox = await this.#started();
    // Again: the files may have been frozen while it started.
    this.#check(wanted);
    return sandbox;
  }

  #check({ isRead, stores }: ProjectRequest): void {
    if (isRead) this.#gate.checkRead();
    else this.#gate.checkChange();
    if (stores) this.#checkDisk();
    // What is removed now is not to be counted any more.
    else if (!isRead && this.#disk.isOver) this.#disk.expectChange();
  }

  #checkDisk(): void {
    if (this.#disk.isOver) throw new AppError("too_large", exceeded.disk(this.#host.limits));
  }

  /** The sandbox that runs, or a new one. One start at a time. */
  async #started(): Promise<Sandbox> {
    const current = this.#sandbox;
    const sandbox = await current?.catch(() => undefined);
    if (sandbox && !sandbox.hasEnded) return sandbox;
    await sandbox?.process.ended;
    // Others may have come to the same conclusion before.
    if (this.#sandbox === current) this.#sandbox = this.#start();
    return this.#sandbox ?? this.#started();
  }

  async #start(): Promise<Sandbox> {
    const { path: dir, files } = this.#folder;
    const sandbox = await Sandbox.start(this.#host, { name: this.#id, dir, files });
    const { limits, log } = this.#host;
    watch({ sandbox, disk: this.#disk, limits, lingerMs: this.#lingerMs }).catch((error: unknown) => {
      // Nothing may run unwatched.
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

/** What stays of a project that is gone. */
const KEPT_OF_DESTROYED: readonly string[] = ["state.json"];

function killedFor(message: string): { stdout: string; stderr: string; exitCode: number; timedOut: boolean } {
  return { stdout: "", stderr: `${message}\n`, exitCode: 137, timedOut: false };
}
