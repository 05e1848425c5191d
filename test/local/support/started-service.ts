import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** `npm start` (or its service alone) as a process of its own, on any free port. */
export class StartedService {
  readonly process: ChildProcess;
  stdout = "";
  stderr = "";
  readonly #closed: Promise<unknown>;

  constructor(options: {
    dataDir: string;
    command?: [string, ...string[]];
    environment?: Record<string, string>;
  }) {
    const [command, ...args] = options.command ?? ["sh", "local/start.sh"];
    this.process = spawn(command, args, {
      env: { ...process.env, PORT: "0", DATA_DIR: options.dataDir, ...options.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.process.stdout?.on("data", (chunk) => (this.stdout += String(chunk)));
    this.process.stderr?.on("data", (chunk) => (this.stderr += String(chunk)));
    this.#closed = once(this.process, "close");
  }

  /** The address of the ready line. Fails when the process ends without it. */
  async ready(): Promise<string> {
    const line = /^ready (.+)$/mu;
    const ended = this.#closed.then(() => "ended" as const);
    while (!line.test(this.stdout)) {
      const next = await Promise.race([once(this.process.stdout ?? this.process, "data"), ended]);
      if (next === "ended") throw new Error(`Ended without a ready line:\n${this.stderr}`);
    }
    return line.exec(this.stdout)?.[1] ?? "";
  }

  /** Its exit code, once it and everything that holds its output is gone. */
  async exitCode(): Promise<number | null> {
    await this.#closed;
    return this.process.exitCode;
  }
}
