import type { ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { AppError, type ErrorCode } from "#src/lib/errors.ts";
import type { DiskWatch } from "./disk-watch.ts";
import { exceeded } from "./limits.ts";
import { WORKSPACE_SERVER } from "./sandbox-command.ts";
import { SandboxProcess, type SandboxHost } from "./sandbox-process.ts";

/** The engine stops by itself before; this is for one that does not. */
const TIMEOUT_MS = 900_000;
const DISK_LOOK_MS = 250;
/** Of one line of the answer; a diff has at most 1 MiB of text. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;

/** Of one project at most one of each kind runs. */
export type GitKind = "read" | "change";

export interface GitRequest {
  kind: GitKind;
  name: string;
  /** JSON. */
  input: unknown;
  /** Folder that the operation works on. */
  files: string;
  disk: DiskWatch;
  /** Before the outcome is told, when the operation has succeeded. */
  onSuccess?: () => Promise<void>;
}

/**
 * One git operation in a sandbox of its own, where no program of the project can look at the credentials in its memory. The
 * answer is lines of JSON: progress, and the outcome last.
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

  /** Resolves when the answer is complete and nothing of the operation runs any more. */
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
          // It is told when it is true; connections that are still open keep the process from ending by itself.
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

  /** What was exceeded when the operation fills the disk; it is ended then. */
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
