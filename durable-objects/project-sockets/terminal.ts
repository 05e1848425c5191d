import { renewCaller, type Caller } from "#src/domain/access/permissions/index.ts";
import {
  abandonSession,
  listTargets,
  noteTerminal,
  openSession,
  recordEnd,
  resumeSession,
  startForTerminal,
  type TerminalTarget,
} from "#src/domain/workspaces/shells/index.ts";
import { ENDED, POLICY } from "#src/lib/close-codes.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Connection } from "./connection.ts";
import type { HeldSessions } from "./held-sessions.ts";
import { showOutput } from "./show-output.ts";
import type { Services } from "#src/services.ts";
import type { Target, TerminalState, TerminalInput } from "./protocol.ts";

const PROGRAM = "/bin/bash";
/** How long the session of a lost socket waits for the next one. */
const GRACE_MS = 30_000;
/** Most typed characters that wait for the runtime. */
const MAX_WAITING = 1024 * 1024;

/** The terminal of one socket: a shell session, its input and its output. */
export class Terminal {
  readonly #connection: Connection;
  readonly #projectId: string;
  readonly #services: Services;
  readonly #held: HeldSessions;
  readonly #gone = new AbortController();
  #work: Promise<void> | undefined;
  /** Input that the runtime has not received yet, in the order of typing. */
  #waiting = "";
  #isWriting = false;
  /** Bytes typed since the session was last noted as used; undefined without input or output. */
  #unnoted: number | undefined;

  constructor(connection: Connection, projectId: string, services: Services, held: HeldSessions) {
    this.#connection = connection;
    this.#projectId = projectId;
    this.#services = services;
    this.#held = held;
  }

  get #state(): TerminalState | null {
    return this.#connection.state.terminal;
  }

  /** Opens a terminal, unless there is one. */
  begin(wish: TerminalInput): Promise<void> {
    if (!this.#state) this.#connection.keep({ terminal: { ...wish, phase: "opening" } });
    return this.goOn();
  }

  /** Continues according to the stored state, unless that is under way. Resolves when the terminal is over. */
  goOn(): Promise<void> {
    this.#work ??= this.#run()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => (this.#work = undefined));
    return this.#work;
  }

  /** Handles the user's choice among the targets. */
  async select(target: string): Promise<void> {
    const state = this.#state;
    if (state?.phase !== "choosing") throw new AppError("conflict", "There is nothing to choose");
    this.#connection.keep({ terminal: { ...state, target, phase: "opening" } });
    await this.#work; // the work that asked for the choice
    await this.goOn();
  }

  /** Accepts input; while the session is being opened, it waits. */
  type(data: string): void {
    if (this.#waiting.length + data.length > MAX_WAITING) {
      this.#connection.send({ type: "error", message: "Too much input waits for the shell" });
      this.#connection.close(POLICY);
      return;
    }
    this.#waiting += data;
    if (this.#state?.phase === "open") this.#write();
  }

  async resize(columns: number, rows: number): Promise<void> {
    const state = this.#state;
    if (!state) return;
    this.#connection.keep({ terminal: { ...state, columns, rows } });
    if (state.phase !== "open" || state.session === null) return;
    await this.#services.workspaces.runtime(this.#projectId).resizeShell(state.session, columns, rows);
  }

  /** Notes that the session is used, if it was. */
  async note(): Promise<void> {
    const [id, bytes] = [this.#state?.session, this.#unnoted];
    if (!id || bytes === undefined) return;
    this.#unnoted = undefined;
    await noteTerminal(this.#services, { id, projectId: this.#projectId }, bytes);
  }

  /**
   * The socket is gone at the moment `at`: its session waits for another socket. Returns whether there is a session
   * that waits.
   */
  part(at: number): boolean {
    this.#gone.abort();
    const state = this.#state;
    if (state?.phase !== "open" || state.session === null) return false;
    this.#held.put(state.session, { position: state.position ?? 0, until: at + GRACE_MS });
    return true;
  }

  /** Ends the session with the terminal, so that it cannot be resumed. */
  async end(): Promise<void> {
    this.#gone.abort();
    const session = this.#state?.session;
    if (!session || !this.#held.get(session)) return;
    this.#connection.keep({ terminal: null });
    // If this fails, the session is still held, and is given up with other sessions that were not resumed.
    await abandonSession(this.#services, { id: session, projectId: this.#projectId });
    this.#held.delete(session);
  }

  /** Another socket shows the session now. */
  release(): void {
    this.#gone.abort();
    this.#connection.keep({ terminal: null });
    this.#connection.send({ type: "error", message: "The terminal continues in another window" });
    this.#connection.close({ code: ENDED.code, reason: "resumed elsewhere" });
  }

  async #run(): Promise<void> {
    if (this.#state?.phase === "opening") await this.#open(this.#state);
    const state = this.#state;
    if (state?.phase !== "open" || state.session === null) return;
    const id = state.session;
    const runtime = this.#services.workspaces.runtime(this.#projectId);
    const exitCode = await showOutput(runtime, id, {
      position: state.position ?? 0,
      signal: this.#gone.signal,
      show: async (data, position, bytes) => {
        this.#unnoted ??= 0;
        await this.#connection.pace.take(bytes);
        if (this.#gone.signal.aborted) return;
        this.#connection.send({ type: "output", data, position });
        if (this.#state) this.#connection.keep({ terminal: { ...this.#state, position } });
      },
    });
    if (this.#gone.signal.aborted) return;
    this.#held.delete(id);
    await recordEnd(this.#services, id, exitCode);
    this.#over(exitCode === null ? "The shell has ended" : `The shell has ended with ${exitCode}`);
  }

  /** Resumes or opens the session, and reports it. */
  async #open(wish: TerminalState): Promise<void> {
    const caller = await renewCaller(this.#services, this.#connection.state.standing);
    const opened =
      wish.session === null ? await this.#openNew(wish, caller) : await this.#resume(wish, caller);
    if (!opened) return;
    const { session, position } = opened;
    this.#held.put(session, { position, until: null });
    const { columns, rows } = this.#state ?? wish;
    this.#connection.keep({ terminal: { ...wish, columns, rows, session, position, phase: "open" } });
    if (!this.#connection.isOpen) return void this.part(Date.now());
    this.#connection.send({ type: "ready", session_id: session, position });
    this.#unnoted = 0;
    this.#write();
  }

  async #resume(wish: TerminalInput, caller: Caller) {
    const named = { id: wish.session ?? "", projectId: this.#projectId };
    const { id } = await resumeSession(this.#services, caller, named);
    await this.#services.workspaces.runtime(this.#projectId).resizeShell(id, wish.columns, wish.rows);
    return { session: id, position: wish.position ?? this.#held.get(id)?.position ?? 0 };
  }

  /** Returns undefined if the user has to choose a target first. */
  async #openNew(wish: TerminalState, caller: Caller) {
    const { targets, actions } = await listTargets(this.#services, caller, this.#projectId);
    const target = wish.target ?? onlyTarget(targets);
    if (target === undefined) {
      this.#connection.keep({ terminal: { ...wish, phase: "choosing" } });
      this.#connection.send({
        type: "select_container",
        targets: [...targets.map(shownTarget), ...actions.map(shownAction)],
      });
      return undefined;
    }
    const container = containerOf(target);
    if (target === "environment") {
      await startForTerminal(this.#services, caller, this.#projectId, {
        onProgress: (message) => this.#connection.send({ type: "provisioning", message }),
        signal: this.#gone.signal,
      });
    }
    const { columns, rows } = this.#state ?? wish;
    const place = { project: this.#projectId, command: PROGRAM, container, columns, rows };
    const { id } = await openSession(this.#services, caller, place);
    return { session: id, position: 0 };
  }

  #write(): void {
    if (!this.#isWriting) void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#waiting !== "" && !this.#gone.signal.aborted) {
        const id = this.#state?.session;
        if (!id) return;
        const data = this.#waiting;
        this.#waiting = "";
        await this.#services.workspaces.runtime(this.#projectId).writeShell(id, data);
        this.#unnoted = (this.#unnoted ?? 0) + new TextEncoder().encode(data).length;
      }
    } catch (error) {
      this.#writeFailed(error);
    } finally {
      this.#isWriting = false;
    }
  }

  /** Handles failed input. The output reports a session that is over; for any other failure the user may try again. */
  #writeFailed(error: unknown): void {
    this.#waiting = "";
    if (error instanceof AppError && ["not_found", "conflict", "asleep"].includes(error.code)) return;
    this.#services.log.warn("terminal input was not accepted", { project_id: this.#projectId, cause: error });
    this.#connection.send({ type: "error", message: "The shell did not accept the input; try again" });
  }

  #fail(error: unknown): void {
    if (this.#gone.signal.aborted) return;
    if (!(error instanceof AppError)) {
      this.#services.log.error("terminal failed", { project_id: this.#projectId, cause: error });
    }
    if (this.#connection.state.kind === "terminal") return this.#connection.fail(error);
    // The chat continues without its terminal.
    this.#over(error instanceof AppError ? error.message : "The terminal failed");
  }

  /** Closes a terminal's socket with its shell; a chat's socket may open another shell. */
  #over(message: string): void {
    this.#waiting = "";
    this.#connection.keep({ terminal: null });
    if (this.#connection.state.kind === "terminal")
      this.#connection.close({ code: ENDED.code, reason: message });
    else this.#connection.send({ type: "error", message });
  }
}

/** Returns the target when there is only one, so that there is no choice. */
function onlyTarget([first, ...others]: readonly TerminalTarget[]): string | undefined {
  if (others.length > 0) return undefined;
  return first?.id ?? "ephemeral";
}

/**
 * Returns the container of a target; undefined for the project's root. Throws `invalid_input` for an invalid target.
 */
function containerOf(target: string): string | undefined {
  if (target === "ephemeral" || target === "environment") return undefined;
  const id = /^ctr:(.+)$/u.exec(target)?.[1];
  if (id === undefined) {
    throw new AppError("invalid_input", "The target is ctr:<container id>, ephemeral or environment");
  }
  return id;
}

function shownTarget({ directory, ...target }: TerminalTarget): Target {
  return { ...target, container_directory: directory };
}

function shownAction({ id, name }: { id: string; name: string }): Target {
  return { id, name, type: "action", status: "available", port: null, container_directory: "" };
}
