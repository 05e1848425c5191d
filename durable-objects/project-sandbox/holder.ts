import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { within } from "#src/lib/time-limit.ts";
import type { Log } from "#src/platform/log/log.ts";
import { Health, isRead } from "#src/platform/runtime/http-runtime/protocol.ts";
import type { StorageState as StorageStateAnswer } from "#src/platform/runtime/project-storage.ts";
import {
  checkChange,
  checkRead,
  checkReplace,
  discarded,
  frozen,
  replaced,
  thawed,
} from "#src/platform/runtime/storage-guard.ts";
import { Changes } from "./changes.ts";
import type { Container } from "./container.ts";
import { Liveness, PATIENCE, SilentError, type Patience } from "./liveness.ts";
import type { StorageState } from "./storage-state.ts";

/** How long programs may take to end when the files are frozen. */
const DRAIN_MS = 30_000;
const DRAIN_LOOK_MS = 100;

const STOP = "http://workspace/stop?reason=The+project+is+being+stopped";
const NOT_STOPPED = "What runs in the project does not end; try again";
const LOST = "The project's container ended unexpectedly: what was changed since its last snapshot is lost";

/** Node requires this option for a body that is a stream; workerd ignores it. */
const STREAMING = { duplex: "half" };

/**
 * Controls access to a project's container: passes requests as the state of the files allows, moves the files, and
 * records which disk they are on. When a container ends, its disk and all changes since the last snapshot are lost.
 */
export class SandboxHolder {
  readonly #container: Container;
  readonly #state: StorageState;
  readonly #log: Log;
  readonly #liveness: Liveness;
  readonly #patience: Patience;
  readonly #changes = new Changes();
  /** Disk of the running container, once it is known. */
  #disk: string | undefined;
  #starting: Promise<string> | undefined;
  /** A dead container is being ended. */
  #givingUp: Promise<void> | undefined;
  /** The platform has said that it ends the container soon. */
  #isEnding = false;

  constructor({
    container,
    state,
    log,
    patience = PATIENCE,
  }: {
    container: Container;
    state: StorageState;
    log: Log;
    patience?: Patience;
  }) {
    this.#container = container;
    this.#state = state;
    this.#log = log;
    this.#patience = patience;
    this.#liveness = new Liveness((signal) => this.#look(signal), patience);
  }

  /** Whether the container may end without losing anything. */
  get isIdle(): boolean {
    return this.#state.current.disk === undefined && this.#changes.isEmpty;
  }

  /** Whether the project has files, and none were ever changed: there is nothing in a container. */
  get isUntouched(): boolean {
    const { state } = this.#state.current;
    return this.isIdle && (state === "present" || state === "frozen");
  }

  /** Another container may have started: its disk must be identified before it is used. */
  forgetDisk(): void {
    this.#disk = undefined;
    this.#isEnding = false;
    this.#liveness.answered();
  }

  /**
   * Looks at a running container, now and then. One whose server has been silent for too long is replaced. Returns
   * `save` when the platform is about to end it and it has files.
   */
  async lookAfter(): Promise<"save" | undefined> {
    if (!this.#container.isRunning) {
      this.#noticeLoss();
      return undefined;
    }
    const disk = this.#disk;
    if (!(await this.#liveness.isAlive())) {
      await this.#giveUp(disk);
      return undefined;
    }
    if (!this.#isEnding) return undefined;
    if (!this.isIdle) return "save";
    await this.#end();
    return undefined;
  }

  storageState(): StorageStateAnswer {
    this.#noticeLoss();
    const { state, generation, lost } = this.#state.current;
    return { state: state === "destroyed" ? "absent" : state, generation, ...(lost && { lost }) };
  }

  /** Forwards a request to the workspace server; `path` is without its query. */
  async forward(request: Request, path: string): Promise<Response> {
    const reads = isRead(request.method, path);
    const disk = await this.#ready(() => (reads ? checkRead : checkChange)(this.#state.current));
    if (path === "/stop") return this.#stop(request);
    // Freezing ends all programs, and with them the requests to their ports.
    if (reads || path.startsWith("/port/")) return this.#fetch(request);
    // From the first change on, the files can be lost with the disk.
    if (this.#state.current.disk !== disk) this.#state.put(this.#state.current, disk);
    return this.#changes.make("change", async (guarded, release) => {
      const response = await this.#fetch(withBody(request, guarded));
      if (path.startsWith("/git/")) return untilRead(response, release);
      release();
      return response;
    });
  }

  /** Replaces all files; a second replacement breaks off the first one. */
  async replace(request: Request, generation: number | undefined): Promise<Response> {
    const check = () => checkReplace(this.#state.current, generation);
    check();
    await this.#changes.cutOff("replacement");
    const disk = await this.#ready(check);
    // A loop, because other calls may have waited for the same replacement.
    while (this.#changes.isReplacing) await this.#changes.cutOff("replacement");
    check();
    return this.#changes.make("replacement", async (guarded, release) => {
      const response = await this.#fetch(withBody(request, guarded));
      if (response.ok) this.#state.put(replaced(this.#state.current, generation), disk);
      release();
      return response;
    });
  }

  async freeze(generation: number): Promise<void> {
    frozen(this.#state.current, generation);
    while (this.#changes.isReplacing) await this.#changes.cutOff("replacement");
    this.#checkLoss();
    const { disk } = this.#state.current;
    this.#state.put(frozen(this.#state.current, generation), disk);
    if (this.#container.isRunning) await this.#drain(generation);
  }

  async thaw(generation: number): Promise<void> {
    thawed(this.#state.current, generation);
    while (this.#changes.isReplacing) await this.#changes.cutOff("replacement");
    this.#checkLoss();
    const { disk } = this.#state.current;
    this.#state.put(thawed(this.#state.current, generation), disk);
  }

  async discard(generation: number): Promise<void> {
    this.#state.put(discarded(this.#state.current, generation), undefined);
    // Keep the container if a replacement is already bringing files back. If a crash happens here, the container is
    // ended when it is idle.
    if (!this.#changes.isReplacing) await this.#end();
  }

  /** Final: only a record that says so remains. */
  async destroy(): Promise<void> {
    this.#state.put({ ...this.#state.current, state: "destroyed" }, undefined);
    this.#state.removeTodos();
    void this.#changes.cutOff();
    await this.#end();
  }

  readTodos(chatId: string): string | undefined {
    return this.#state.readTodos(chatId);
  }

  writeTodos(chatId: string, list: string): void {
    if (this.#state.current.state === "destroyed") throw new AppError("not_found", "The project is gone");
    this.#state.writeTodos(chatId, list);
  }

  /**
   * Ensures that the container runs, and returns its disk. `check` throws if the container is not, or no longer,
   * needed.
   */
  async #ready(check: () => void): Promise<string> {
    this.#checkLoss();
    check();
    const disk = await (this.#starting ??= this.#start().finally(() => (this.#starting = undefined)));
    this.#checkLoss();
    check();
    return disk;
  }

  async #start(): Promise<string> {
    if (this.#disk !== undefined && this.#container.isRunning) return this.#disk;
    try {
      await this.#container.start();
      return (this.#disk = await this.#container.diskId());
    } catch (cause) {
      this.#log.warn("a container did not start", { cause });
      throw new AppError("unavailable", "The project's environment did not start; try again in a moment", {
        cause,
      });
    }
  }

  /** Ends a container that has nothing to lose. */
  async endIdle(): Promise<void> {
    if (this.isIdle) await this.#end();
  }

  async #end(): Promise<void> {
    this.#disk = undefined;
    await this.#container.end();
  }

  /** Lasts for as long as the server answers anything; then the container is ended. */
  async #fetch(request: Request): Promise<Response> {
    const disk = this.#disk;
    try {
      return await this.#liveness.whileAlive(this.#container.fetch(request));
    } catch (cause) {
      if (cause instanceof SilentError) throw await this.#giveUp(disk);
      throw broken(cause);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const response = await this.#container.fetch(new Request("http://workspace/health", { signal }));
    this.#isEnding = parseJson(await response.text(), Health).ending;
  }

  /** Ends a container whose server is dead, unless another one has taken its place. Returns the error to throw. */
  async #giveUp(disk: string | undefined): Promise<AppError> {
    if (this.#disk === disk && this.#container.isRunning) {
      this.#givingUp ??= this.#endDead().finally(() => (this.#givingUp = undefined));
    }
    await this.#givingUp;
    return this.#state.current.lost ? new AppError("unavailable", LOST) : new SilentError();
  }

  async #endDead(): Promise<void> {
    this.#log.error("a workspace server did not answer; its container is ended");
    await this.#end();
    this.#noticeLoss();
  }

  /** Reports a lost disk to the first caller; from then on the files are absent, and only the last snapshot remains. */
  #checkLoss(): void {
    if (this.#noticeLoss()) {
      throw new AppError("unavailable", LOST);
    }
  }

  #noticeLoss(): boolean {
    const record = this.#state.current;
    if (record.disk === undefined) return false;
    const isThere = this.#container.isRunning && (this.#disk ?? record.disk) === record.disk;
    if (isThere) return false;
    this.#state.lose();
    void this.#changes.cutOff();
    this.#log.error("a container ended with files that are in no snapshot", {
      generation: record.generation,
    });
    return true;
  }

  /** Ends all programs, until every change that was admitted before is done or refused. */
  async #drain(generation: number): Promise<void> {
    const until = Date.now() + DRAIN_MS;
    for (;;) {
      // A change that was under way while programs were stopped may have started another program.
      const isLast = this.#changes.isEmpty;
      const over = this.#changes.cutOff();
      await this.#stopPrograms();
      if (isLast) return;
      if (this.#state.current.generation !== generation) {
        throw new AppError("conflict", "The project's files have been moved under a newer generation");
      }
      if (Date.now() > until) {
        throw new AppError("unavailable", "What runs in the project does not end; try again");
      }
      await within(DRAIN_LOOK_MS, over);
    }
  }

  async #stopPrograms(): Promise<void> {
    const response = await this.#stop(new Request(STOP, { method: "POST" }));
    await response.body?.cancel();
    if (!response.ok) throw new AppError("unavailable", NOT_STOPPED);
  }

  /** A server that does not answer a stop, nor anything else, is dead. The call is not waited for any longer than this. */
  async #stop(request: Request): Promise<Response> {
    const disk = this.#disk;
    const stopped = await within(this.#patience.stopMs, this.#container.fetch(request)).catch(
      (cause: unknown) => {
        throw broken(cause);
      },
    );
    if (stopped) {
      this.#liveness.answered();
      return stopped.value;
    }
    if (await this.#liveness.answers()) throw new AppError("unavailable", NOT_STOPPED);
    throw await this.#giveUp(disk);
  }
}

function broken(cause: unknown): AppError {
  return new AppError("unavailable", "The project's environment has ended; try again in a moment", { cause });
}

function withBody(
  request: Request,
  guarded: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>,
): Request {
  const { method, url, signal, body } = request;
  const headers = new Headers(request.headers);
  // A body that is cut off must not look complete.
  headers.delete("content-length");
  return new Request(url, { method, headers, signal, ...(body && { body: guarded(body), ...STREAMING }) });
}

/** Returns the response and calls `over` when its body was read, broke off or was cancelled. */
function untilRead(response: Response, over: () => void): Response {
  if (!response.body) {
    over();
    return response;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  response.body.pipeTo(writable).then(over, over);
  return new Response(readable, response);
}
