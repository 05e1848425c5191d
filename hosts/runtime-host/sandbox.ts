import { existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { open, rename, type FileHandle } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { newToken } from "#src/lib/random-token.ts";
import { Health, SECRET_HEADER } from "#src/platform/runtime/http-runtime/protocol.ts";
import { removeTree } from "./disk.ts";
import { giveToSandbox } from "./host-user.ts";
import { WORKSPACE_SERVER } from "./sandbox-command.ts";
import { SandboxProcess, type SandboxHost } from "./sandbox-process.ts";

const START_TIMEOUT_MS = 15_000;
const START_POLL_MS = 5;
const ASK_TIMEOUT_MS = 5_000;
const SOCKET = "server.sock";

/** A running sandbox with a project's workspace server in it. */
export class Sandbox {
  readonly process: SandboxProcess;
  /** Connections to the server. */
  readonly agent = new http.Agent({ keepAlive: true });
  /** Secret that its server requires on every request. It is valid for this sandbox only and not stored. */
  readonly secretHeader: Readonly<Record<string, string>>;
  /** Why the service has ended it, as a sentence for waiting commands. */
  endedFor: string | undefined;
  readonly #dir: FileHandle;
  #users = 0;
  #lastUsed = Date.now();

  private constructor(process: SandboxProcess, dir: FileHandle, secret: string) {
    this.process = process;
    this.#dir = dir;
    this.secretHeader = { [SECRET_HEADER]: secret };
  }

  /** Starts a sandbox over a project's files; `dir` is the project's folder. Throws `unavailable`. */
  static async start(
    host: SandboxHost,
    options: { name: string; dir: string; files: string },
  ): Promise<Sandbox> {
    const { name, dir, files } = options;
    const run = path.join(dir, "run");
    await removeTree(run);
    mkdirSync(run);
    giveToSandbox(run);
    rmSync(path.join(dir, SOCKET), { force: true });
    const { token: secret, hash } = newToken();
    const listen = ["--listen", `/run/workspace/${SOCKET}`];
    const command = [...WORKSPACE_SERVER, "serve", "--root", "/app", ...listen, "--secret-sha256", hash];
    const process = new SandboxProcess(host, {
      name,
      files,
      run,
      wayOut: host.network ? "programs" : "none",
      command,
    });
    process.child.stdout?.resume();
    const sandbox = new Sandbox(process, await open(dir), secret);
    void sandbox.#closeAtEnd();
    try {
      await sandbox.#takeSocket(path.join(run, SOCKET), path.join(dir, SOCKET));
      await sandbox.#untilItAnswers();
      return sandbox;
    } catch (cause) {
      await process.end();
      host.log(`The sandbox of project ${name} did not start: ${process.complaint}`);
      throw new AppError("unavailable", "The project's environment did not start; try again in a moment", {
        cause,
      });
    }
  }

  async #closeAtEnd(): Promise<void> {
    await this.process.ended;
    this.agent.destroy();
    await this.#dir.close();
  }

  /**
   * Moves the socket out of the folder that the sandbox can write to before any program of the project runs: a link in
   * its place could lead this process, which may be root, to another server of the machine.
   */
  async #takeSocket(inside: string, taken: string): Promise<void> {
    await this.#until(() => existsSync(inside));
    await rename(inside, taken);
    if (!lstatSync(taken).isSocket()) throw new Error("Not a socket");
  }

  async #untilItAnswers(): Promise<void> {
    await this.#until(async () => (await this.isBusy()) !== undefined);
  }

  async #until(holds: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await holds())) {
      if (this.hasEnded) throw new Error("It has ended");
      if (Date.now() > deadline) throw new Error("It takes too long");
      await pause(START_POLL_MS);
    }
  }

  get hasEnded(): boolean {
    return this.process.hasEnded;
  }

  /** Path through the open folder, because the path of a Unix socket has at most 107 bytes. */
  get socketPath(): string {
    return `/proc/self/fd/${this.#dir.fd}/${SOCKET}`;
  }

  /** Counts a request: the sandbox is not idle until the returned function is called. */
  use(): () => void {
    this.#users += 1;
    let isUsed = true;
    return () => {
      if (isUsed) this.#users -= 1;
      isUsed = false;
      this.#lastUsed = Date.now();
    };
  }

  /** Milliseconds since the last request was over; 0 while there is one. */
  get idleMs(): number {
    return this.#users > 0 ? 0 : Date.now() - this.#lastUsed;
  }

  /** Whether programs run in it; `undefined` when its server does not respond. */
  async isBusy(): Promise<boolean | undefined> {
    try {
      return parseJson(await this.ask("GET", "/health"), Health).busy;
    } catch {
      return undefined;
    }
  }

  /** Sends a request of the host itself to the workspace server. Rejects unless it succeeds. */
  ask(method: string, route: string, body?: object, timeoutMs = ASK_TIMEOUT_MS): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = http.request({
        socketPath: this.socketPath,
        agent: this.agent,
        method,
        path: route,
        signal: AbortSignal.timeout(timeoutMs),
        headers: { ...this.secretHeader, ...(body && { "content-type": "application/json" }) },
      });
      request.on("error", reject);
      request.on("response", (response) => {
        const isFine = Math.floor((response.statusCode ?? 0) / 100) === 2;
        text(response).then((answer) => (isFine ? resolve(answer) : reject(new Error(answer))), reject);
      });
      request.end(body && JSON.stringify(body));
    });
  }

  /** Resolves when all of its processes have ended. Idempotent; the first reason counts. */
  end(reason?: string): Promise<void> {
    if (!this.hasEnded) this.endedFor ??= reason;
    return this.process.end();
  }
}
