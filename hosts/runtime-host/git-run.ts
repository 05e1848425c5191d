import type { ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { AppError, type ErrorCode } from "#src/lib/errors.ts";
import type { DiskWatch } from "./disk-watch.ts";
import { exceeded } from "./limits.ts";
import { WORKSPACE_SERVER } from "./sandbox-command.ts";
import { SandboxProcess, type SandboxHost } from "./sandbox-process.ts";

/** The git engine stops by itself earlier; this limit is for one that does not. */
const TIMEOUT_MS = 900_000;
const DISK_LOOK_MS = 250;
/** Longest line of the response; a diff has at most 1 MiB of text. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;

/** At most one of each kind runs for a project. */
export type GitKind = "read" | "change";

export interface GitRequest {
  kind: GitKind;
  name: string;
  /** JSON. */
  input: unknown;
  /** The operation's folder. */
  files: string;
  disk: DiskWatch;
  /** Called before the outcome of a successful operation is sent. */
  onSuccess?: () => Promise<void>;
}

/**
 * Runs one git operation in a separate sandbox, where no program of the project can read the credentials in its memory.
 * The response is lines of JSON: progress, and the outcome last.
 */
export class GitRun {
  readonly process: SandboxProcess;
  readonly #request: GitRequest;
  readonly #limits: SandboxHost["limits"];

  constructor(host: SandboxHost, projectId: string, request: GitRequest) {
    this.#request = request;
    this.#limits = host.limits;
    const { kind, name, input, files } = request;
    this.process = new SandboxProcess(host, {
      name: `${projectId}-git-${kind}`,
      files,
      wayOut: "all",
      command: [...WORKSPACE_SERVER, "git"],
    });
    this.process.child.stdin?.end(JSON.stringify({ root: "/app", name, input }));
  }

  /** Resolves when the response is complete and all processes of the operation have ended. */
  async answer(response: ServerResponse): Promise<void> {
    const { process } = this;
    const end = () => void process.end();
    const late = setTimeout(end, TIMEOUT_MS);
    response.once("close", end);
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    let outcome: string | undefined;
    const overDisk = this.#watchDisk();
    try {
      if (!process.child.stdout) throw new Error("It has no output");
      for await (const line of createInterface({ input: process.child.stdout })) {
        if (line.length > MAX_LINE_CHARS) break;
        if (line.startsWith('{"ok"')) {
          // The outcome is sent after the process was ended: open connections keep it from ending by itself.
          outcome = line;
          break;
        }
        response.write(`${line}\n`);
      }
      await process.end();
      if (outcome?.startsWith('{"ok":true')) await this.#request.onSuccess?.();
      response.end(`${outcome ?? endedEarly(await overDisk)}\n`);
    } catch (error) {
      const { code, message } = error instanceof AppError ? error : INTERNAL;
      response.end(`${failed(code, message)}\n`);
    } finally {
      clearTimeout(late);
      await process.end();
    }
  }

  /** Watches the disk, ends an operation that fills it, and returns the exceeded limit. */
  async #watchDisk(): Promise<string | undefined> {
    while (!this.process.hasEnded) {
      if (await this.#request.disk.look()) {
        await this.process.end();
        return exceeded.disk(this.#limits);
      }
      await pause(DISK_LOOK_MS, undefined, { ref: false });
    }
    return undefined;
  }
}

const INTERNAL = new AppError("internal", "The git operation failed");

function endedEarly(exceededLimit: string | undefined): string {
  if (exceededLimit !== undefined) return failed("too_large", exceededLimit);
  return failed("unavailable", "The git operation was ended before it was complete");
}

function failed(code: ErrorCode, message: string): string {
  return JSON.stringify({ ok: false, code, message });
}
