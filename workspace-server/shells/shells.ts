import { AppError } from "#src/lib/errors.ts";
import type { Programs } from "../programs/programs.ts";
import { ShellSession, type ShellSpec } from "./shell-session.ts";

/** How long the output of an ended session stays readable, for how many sessions, and how many bytes in total. */
const KEPT_MS = 30 * 60 * 1000;
const KEPT_SESSIONS = 100;
const KEPT_BYTES = 64 * 1024 * 1024;
/** Most sessions that may run at once. */
const MAX_RUNNING = 100;

/** The project's shell sessions, by the names that their callers chose. */
export class Shells {
  readonly #root: string;
  readonly #programs: Programs;
  readonly #sessions = new Map<string, ShellSession>();
  readonly #opening = new Map<string, Promise<ShellSession>>();

  constructor(root: string, programs: Programs) {
    this.#root = root;
    this.#programs = programs;
  }

  /** Whether a session runs, or its output is stored. */
  get isBusy(): boolean {
    this.#forget();
    return this.#opening.size + this.#sessions.size > 0;
  }

  /** Opens a session; an existing one of this name stays unchanged. */
  async open(id: string, spec: ShellSpec): Promise<void> {
    this.#forget();
    if (this.#sessions.has(id)) return;
    const underWay = this.#opening.get(id);
    if (underWay) return void (await underWay);
    const running = [...this.#sessions.values()].filter(isRunning).length + this.#opening.size;
    if (running >= MAX_RUNNING) throw new AppError("rate_limited", "Too many shell sessions are open");
    const opening = ShellSession.open(this.#root, this.#programs, spec);
    this.#opening.set(id, opening);
    try {
      this.#sessions.set(id, await opening);
    } finally {
      this.#opening.delete(id);
    }
  }

  /** Returns the session of this name; throws `not_found`. */
  get(id: string): ShellSession {
    this.#forget();
    const session = this.#sessions.get(id);
    if (!session) throw new AppError("not_found", "Shell session not found");
    return session;
  }

  /** Ends a session and deletes its output. */
  async close(id: string): Promise<void> {
    const session = this.#sessions.get(id) ?? (await this.#opening.get(id));
    await session?.close();
    this.#sessions.delete(id);
  }

  /** Ends all; their output stays readable. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  /** Deletes ended sessions: the oldest ones, when they are too many or too large. */
  #forget(): void {
    const over = [...this.#sessions]
      .filter(([, session]) => !isRunning(session))
      .toSorted(([, a], [, b]) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
    let bytes = 0;
    for (const [index, [id, session]] of over.entries()) {
      bytes += session.output.size;
      const isOld = Date.now() - (session.endedAt ?? 0) > KEPT_MS;
      if (isOld || index >= KEPT_SESSIONS || bytes > KEPT_BYTES) this.#sessions.delete(id);
    }
  }
}

function isRunning(session: ShellSession): boolean {
  return session.endedAt === undefined;
}
