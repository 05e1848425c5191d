import type { CallFiles, FileCall, FileCallName } from "#src/shell/file-calls.ts";
import type { Ended } from "#src/platform/command-runner/command-runner.ts";
import type { JobResult } from "#src/shell/job.ts";
import type { ProjectFiles } from "./project-files.ts";
import { ShellFileSystem } from "./shell-file-system.ts";

/** The only calls that a read-only command may make. */
const READING: ReadonlySet<FileCallName> = new Set(["read", "exists", "stat", "list", "readLink", "resolve"]);
/** Most failures that are remembered: the failure that ends a shell is among the last. */
const KEPT_FAILURES = 64;

/** Worded as the shell's commands expect it. */
export class ReadOnlyError extends Error {
  override name = "ReadOnlyError";
  readonly code = "EROFS";

  constructor(path: string) {
    super(`EROFS: read-only file system, '${path}'`);
  }
}

/**
 * Serves one command's calls on the project's files. `readOnly` is enforced here, beside the files, and not in the
 * command's isolate.
 */
export class FileCalls {
  readonly #files: ShellFileSystem;
  readonly #readOnly: boolean;
  readonly #failures = new Map<number, unknown>();
  #failed = 0;

  constructor(files: ProjectFiles, { readOnly }: { readOnly: boolean }) {
    this.#files = new ShellFileSystem(files);
    this.#readOnly = readOnly;
  }

  readonly call: CallFiles = async (call, bytes = new Uint8Array()) => {
    try {
      if (this.#readOnly && !READING.has(call.name)) throw new ReadOnlyError(changedBy(call));
      const value = await this.#run(call, bytes);
      if (value instanceof Uint8Array) return { answer: { ok: true }, bytes: value };
      return { answer: value === undefined ? { ok: true } : { ok: true, value } };
    } catch (error) {
      const failure = this.#remember(error);
      const message = error instanceof Error ? error.message : "";
      const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
      return { answer: { ok: false, failure, code, message } };
    }
  };

  /** Returns why a shell broke: the failure of one of its calls, or its own. */
  causeOf(result: JobResult | Ended): unknown {
    if (result.kind !== "failed") return new Error("The shell returned an unexpected result");
    const failure = result.failure === undefined ? undefined : this.#failures.get(result.failure);
    return failure ?? new Error(result.message);
  }

  #run(call: FileCall, bytes: Uint8Array) {
    const files = this.#files;
    switch (call.name) {
      case "read":
        return files.read(call.path);
      case "write":
        return files.write(call.path, bytes);
      case "append":
        return files.append(call.path, bytes);
      case "exists":
        return files.exists(call.path);
      case "stat":
        return files.stat(call.path, call);
      case "list":
        return files.list(call.path);
      case "makeDirectory":
        return files.makeDirectory(call.path, call);
      case "remove":
        return files.remove(call.path, call);
      case "copy":
        return files.copy(call.path, call.to, call);
      case "move":
        return files.move(call.path, call.to);
      case "setMode":
        return files.setMode(call.path, call.mode);
      case "setModified":
        return files.setModified(call.path, call.modifiedAt);
      case "makeLink":
        return files.makeLink(call.path, call.target);
      case "linkHard":
        return files.linkHard(call.path, call.to);
      case "readLink":
        return files.readLink(call.path);
      case "resolve":
        return files.resolve(call.path);
    }
  }

  #remember(error: unknown): number {
    this.#failed += 1;
    this.#failures.set(this.#failed, error);
    this.#failures.delete(this.#failed - KEPT_FAILURES);
    return this.#failed;
  }
}

function changedBy(call: FileCall): string {
  return call.name === "copy" || call.name === "linkHard" ? call.to : call.path;
}
