/// <reference lib="esnext.disposable" preserve="true" />
import { systemClock, type Clock } from "../clock.ts";
import type { WorkspaceError } from "../errors.ts";
import { fieldsOf, listOf, textOf, wholeOf, type Fields } from "../json.ts";
import { BoundedQueue } from "./bounded-queue.ts";
import type { Frame, SocketSource } from "./connection.ts";
import { refusal } from "./refusal.ts";
import { ReopeningSocket } from "./socket.ts";

/** Characters of output that wait for their reader. */
const MAX_UNREAD = 1024 * 1024;
/** Characters of input that wait for a connection. */
const MAX_WAITING = 64 * 1024;
/** Most characters of input in one frame; JSON makes up to six of one. */
const PIECE = 8 * 1024;
/** Most characters of one `write`; the service ends a terminal with 1 MiB of unread input. */
const MAX_WRITE = 256 * 1024;

export interface TerminalOptions {
  /**
   * `ctr:<container id>`, `ephemeral` or `environment`. Without it, a project with several ends the terminal with an error of
   * code `target_needed`, whose sentence names them.
   */
  target?: string;
  /** A session to resume, and the byte of its output up to which the caller has it. */
  session?: string;
  position?: number;
  /** 80 by 24 if absent. */
  columns?: number;
  rows?: number;
  /** Called with `provisioning`, `status_update`, and errors that do not end the terminal. */
  onNotice?: (notice: Frame) => void;
  /** Called with true when the terminal takes input, and with false when its connection is lost. */
  onConnection?: (isConnected: boolean) => void;
  /** For tests. */
  clock?: Clock;
}

export interface TerminalOutput {
  data: string;
  /** The position after these bytes in the session's output. */
  position: number;
}

/**
 * A shell in a project, live. After a lost connection its session goes on and is resumed by position: each byte of
 * output comes once, except output that the service no longer keeps. The service ends a session whose connection is
 * lost for more than 30 seconds.
 */
export class Terminal implements AsyncDisposable {
  readonly #options: TerminalOptions;
  readonly #output: BoundedQueue<TerminalOutput>;
  readonly #socket: ReopeningSocket;
  #target: string | undefined;
  #session: string | undefined;
  #position: number | undefined;
  #size: { columns: number; rows: number };
  #isReady = false;
  #waiting = "";
  #end: WorkspaceError | undefined;
  #reason: string | undefined;

  constructor(source: SocketSource, project: string, options: TerminalOptions = {}) {
    this.#options = options;
    this.#target = options.target;
    this.#session = options.session;
    this.#position = options.position;
    this.#size = { columns: options.columns ?? 80, rows: options.rows ?? 24 };
    this.#output = new BoundedQueue(MAX_UNREAD, () => this.#socket.restart());
    this.#socket = new ReopeningSocket(source, options.clock ?? systemClock, {
      address: () => ({
        path: `/api/terminal/${encodeURIComponent(project)}/connect`,
        query: {
          target: this.#target,
          session: this.#session,
          position: this.#position,
          cols: this.#size.columns,
          rows: this.#size.rows,
        },
      }),
      opened: () => undefined,
      received: (frame, size) => this.#receive(frame, size),
      lost: () => this.#connected(false),
      ended: (error, reason) => this.#over(error, reason),
    });
  }

  /** Id of the session, to resume it elsewhere together with the position of the last output; undefined before it is open. */
  get session(): string | undefined {
    return this.#session;
  }

  /** The service's words about the end of the shell, such as `The shell has ended with 0`; undefined before. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /**
   * Types. Without a connection up to 64 Ki characters wait for it, in order, and a `WorkspaceError` of code `conflict`
   * refuses more. Input that was on its way when a connection broke may be lost, but is never typed twice.
   */
  write(data: string): void {
    if (this.#end) throw this.#end;
    if (data.length > MAX_WRITE) {
      throw refusal("invalid_input", `At most ${MAX_WRITE} characters are typed at once`);
    }
    if (this.#isReady && this.#socket.isOpen) return this.#type(data);
    if (this.#waiting.length + data.length > MAX_WAITING) {
      throw refusal("conflict", "Too much input waits for the connection");
    }
    this.#waiting += data;
  }

  /** Sets the size of the screen, from 1 to 1,000 each; also for the connections that follow. */
  resize(columns: number, rows: number): void {
    this.#size = { columns, rows };
    if (this.#isReady) this.#socket.send({ type: "resize", cols: columns, rows });
  }

  /**
   * The output. Leaving the loop does not close the terminal: a later loop continues. Ends with the shell and after
   * `close`; throws a `WorkspaceError` when the terminal is refused or lost, and the signal's reason after an abort.
   *
   * @example
   *   for await (const { data } of terminal.output()) process.stdout.write(data);
   */
  output({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<TerminalOutput, void, void> {
    return this.#output.read(signal);
  }

  /** Closes the connection. The session waits 30 seconds for another one. Idempotent. */
  close(): void {
    this.#end ??= refusal("closed", "The terminal is closed");
    this.#socket.close();
    this.#output.drop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #receive(frame: Frame, size: number): void {
    switch (frame.type) {
      case "ready":
        return this.#ready(frame);
      case "output":
        return this.#show(textOf(frame["data"]) ?? "", wholeOf(frame["position"]), size);
      case "select_container":
        return this.#over(targetNeeded(listOf(frame["targets"]).map(fieldsOf)), "");
      default:
        return this.#options.onNotice?.(frame);
    }
  }

  #connected(isReady: boolean): void {
    if (this.#isReady === isReady) return;
    this.#isReady = isReady;
    this.#options.onConnection?.(isReady);
  }

  #ready(frame: Frame): void {
    const asked = { ...this.#size };
    this.#session = textOf(frame["session_id"]);
    this.#position ??= wholeOf(frame["position"]);
    this.#connected(true);
    this.#socket.send({ type: "resize", cols: asked.columns, rows: asked.rows });
    const waiting = this.#waiting;
    this.#waiting = "";
    this.#type(waiting);
  }

  /**
   * While unread output is at its bound, newer output is dropped, and read again from its position afterwards. The
   * connection stays, because the service ends sessions without one, and because the reader may have to stop a program.
   */
  #show(data: string, position: number, size: number): void {
    if (this.#output.isFull || position <= (this.#position ?? 0)) return;
    this.#position = position;
    this.#output.push({ data, position }, size);
  }

  #type(data: string): void {
    for (let at = 0; at < data.length;) {
      const end = wholeUpTo(data, at + PIECE);
      this.#socket.send({ type: "input", data: data.slice(at, end) });
      at = end;
    }
  }

  #over(error: WorkspaceError | undefined, reason: string): void {
    this.#reason ??= reason;
    this.#end ??= error ?? refusal("closed", reason === "" ? "The shell has ended" : reason);
    this.#socket.close();
    this.#output.end(error);
  }
}

/** The end of a piece of text that does not split a character of two code units. */
function wholeUpTo(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function targetNeeded(targets: readonly Fields[]): WorkspaceError {
  const names = targets.map(({ id, name }) => `${String(id)} (${String(name)})`).join(", ");
  return refusal("target_needed", `The terminal needs a target, one of ${names}`);
}

/** Opens a terminal in a project. The connection is made at once. */
export function openTerminal(source: SocketSource, project: string, options: TerminalOptions = {}): Terminal {
  return new Terminal(source, project, options);
}
