import { execFile } from "node:child_process";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { CommandResult, Outcome, type ReadOnlyCommand } from "#src/platform/runtime/http-runtime/protocol.ts";
import { WORKSPACE_SERVER } from "./sandbox-command.ts";
import { SandboxProcess, type SandboxHost } from "./sandbox-process.ts";
import { excessOf } from "./watchdog.ts";

/** Time beyond the command's own timeout, which ends it earlier. */
const SPARE_MS = 15_000;
const LOOK_MS = 250;
/** Longest result: two streams of 1 MiB, of which JSON may write a byte as six characters. */
const MAX_ANSWER_CHARS = 16 * 1024 * 1024;
/** More pipes and sockets than a project has; each is an argument of bubblewrap. */
const MAX_DOORS = 500;
const EXIT_KILLED = 137;

/**
 * Runs one command in a separate sandbox, which sees the project's files read-only and has no network. No process that
 * it starts outlives it, and it cannot reach the project's programs: see `doorsIn`.
 */
export class ReadOnlyRun {
  readonly process: SandboxProcess;
  readonly #limits: SandboxHost["limits"];
  readonly #timeoutMs: number;

  private constructor(
    host: SandboxHost,
    projectId: string,
    { command, files, doors }: { command: z.infer<typeof ReadOnlyCommand>; files: string; doors: string[] },
  ) {
    this.#limits = host.limits;
    this.#timeoutMs = command.timeoutMs;
    this.process = new SandboxProcess(host, {
      name: `${projectId}-read-only`,
      files,
      readOnly: { doors },
      wayOut: "none",
      command: [...WORKSPACE_SERVER, "command"],
    });
    this.process.child.stdin?.end(JSON.stringify({ root: "/app", ...command }));
  }

  static async start(
    host: SandboxHost,
    projectId: string,
    { command, files }: { command: z.infer<typeof ReadOnlyCommand>; files: string },
  ): Promise<ReadOnlyRun> {
    return new ReadOnlyRun(host, projectId, { command, files, doors: await doorsIn(files) });
  }

  /** Resolves when the response is complete and all processes of the command have ended. */
  async answer(response: ServerResponse): Promise<void> {
    const end = () => void this.process.end();
    if (response.closed) return this.process.end();
    const late = setTimeout(end, this.#timeoutMs + SPARE_MS);
    response.once("close", end);
    const exceeded = this.#watch();
    try {
      const line = await this.#outcome();
      await this.process.end();
      const result = line === undefined ? killedFor(await exceeded) : resultIn(line);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
    } finally {
      clearTimeout(late);
      await this.process.end();
    }
  }

  async #outcome(): Promise<string | undefined> {
    if (!this.process.child.stdout) throw new Error("It has no output");
    for await (const line of createInterface({ input: this.process.child.stdout })) {
      return line.length > MAX_ANSWER_CHARS ? undefined : line;
    }
    return undefined;
  }

  /** Watches the limits, ends a command that exceeds one, and returns its sentence. */
  async #watch(): Promise<string | undefined> {
    while (!this.process.hasEnded) {
      const excess = excessOf(this.process, this.#limits);
      if (excess) {
        await this.process.end();
        return excess.message;
      }
      await pause(LOOK_MS, undefined, { ref: false });
    }
    return undefined;
  }
}

/** Result of a command that ended without reporting one; it may have killed the process that would. */
function killedFor(exceeded: string | undefined): z.infer<typeof CommandResult> {
  const stderr = `${exceeded ?? "The command was ended before it was complete"}\n`;
  return { stdout: "", stderr, exitCode: EXIT_KILLED, timedOut: false };
}

function resultIn(line: string): z.infer<typeof CommandResult> {
  const outcome = parseJson(line, Outcome);
  if (!outcome.ok) throw new AppError(outcome.code, outcome.message);
  return CommandResult.parse(outcome.value);
}

/**
 * Returns named pipes and sockets among the files, as relative paths. They are covered: a read-only mount does not keep
 * a command from writing to one, and a program of the project at its other end may write where the command may not.
 * Abstract and network sockets are not reachable, because each sandbox has its own network namespace.
 */
async function doorsIn(files: string): Promise<string[]> {
  try {
    const wanted = ["-xdev", "(", "-type", "p", "-o", "-type", "s", ")", "-print0"];
    const { stdout } = await promisify(execFile)("find", [files, ...wanted]);
    const doors = stdout.split("\0").filter((each) => each !== "");
    if (doors.length > MAX_DOORS) throw new Error(`There are ${doors.length}`);
    return doors.map((each) => path.relative(files, each));
  } catch (cause) {
    throw new AppError(
      "unavailable",
      "The project's pipes and sockets could not be covered, so no command runs in plan mode; try again",
      { cause },
    );
  }
}
