import { createWriteStream, mkdirSync, renameSync, statSync } from "node:fs";
import path from "node:path";

const MAX_BYTES = 50 * 1024 * 1024;

export interface ServiceLog {
  path: string;
  /** Writes a line of the Worker or its runtime. */
  write(line: { level: string; message: string; timestamp: number }): void;
  close(): Promise<void>;
}

/**
 * Writes the Worker's log lines (JSON, one per line) to `dir`/service.jsonl; errors also to standard error. At a start,
 * a file above 50 MiB becomes service.1.jsonl and replaces the previous one.
 */
export function openServiceLog(dir: string): ServiceLog {
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, "service.jsonl");
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES)
    renameSync(file, path.join(dir, "service.1.jsonl"));
  const stream = createWriteStream(file, { flags: "a" });
  return {
    path: file,
    write: ({ level, message, timestamp }) => {
      // The Worker's own lines are JSON; the runtime's lines are not.
      const line = message.startsWith("{")
        ? message.trimEnd()
        : JSON.stringify({ time: new Date(timestamp).toISOString(), level, message });
      stream.write(`${line}\n`);
      if (level === "error") process.stderr.write(`${line}\n`);
    },
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  };
}
