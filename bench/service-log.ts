import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";

/** The service's log entry of a request, a delivery of the queue, or a step that began at once. */
const Request = z.object({
  message: z.enum(["request", "step", "performed"]),
  path: z.string().optional(),
  db: z.int(),
  publish: z.int(),
  objects: z.int(),
});
type Request = z.infer<typeof Request>;

/** After so long without a request, nothing is in progress. */
const QUIET_MS = 1000;

/** The log of the service on a data folder; reading continues where it last stopped. */
export class ServiceLog {
  readonly #file: string;
  #read = 0;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, "logs", "service.jsonl");
  }

  /** The requests logged since the last call, once no more arrive. */
  async untilQuiet(): Promise<Request[]> {
    const all: Request[] = [];
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      const requests = this.#next();
      if (requests.length === 0) return all;
      all.push(...requests);
    }
  }

  #next(): Request[] {
    const lines = existsSync(this.#file) ? readFileSync(this.#file, "utf8").split("\n") : [];
    const fresh = lines.slice(this.#read, -1);
    this.#read += fresh.length;
    return fresh.flatMap((line) => safeParseJson(line, Request)?.value ?? []);
  }
}
