import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { CallFiles } from "#src/shell/file-calls.ts";
import type { Job, JobResult, WithBytes } from "#src/shell/job.ts";
import type { CommandRunner, RunOptions } from "./command-runner.ts";
import { Ending } from "./ending.ts";

/** Processor time of one line of a shell session, which has no timeout. For a command its timeout is used. */
const LINE_CPU_MS = 30_000;
/** Largest limit of a Worker's processor time. Source: Cloudflare's Workers limits. */
const MAX_CPU_MS = 300_000;
const COMPATIBILITY_DATE = "2026-11-01";

interface Isolate {
  run(
    job: WithBytes<Job>,
    callFiles: CallFiles,
    untilCancelled: () => Promise<void>,
  ): Promise<WithBytes<JobResult>>;
}

/**
 * The runner of deployments: a dynamically loaded Worker per project, without network, whose processor time is limited.
 * A Worker that had to be ended is not used again.
 */
export function isolateRunner(loader: WorkerLoader, program: () => Promise<string>): CommandRunner {
  let generation = crypto.randomUUID();
  const load = (project: string, cpuMs: number): Isolate => {
    const worker = loader.get(`${project}-${generation}`, async () => ({
      compatibilityDate: COMPATIBILITY_DATE,
      compatibilityFlags: ["nodejs_compat"],
      mainModule: "isolate.js",
      modules: { "isolate.js": await program() },
      globalOutbound: null,
    }));
    // The class belongs to the loaded program, so the loader has no type for it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return worker.getEntrypoint(undefined, { limits: { cpuMs } }) as unknown as Isolate;
  };
  return {
    check() {},
    async run(job, options) {
      const ending = new Ending(options);
      const ended = new Promise<"ended">((resolve) => ending.onDeadline(() => resolve("ended")));
      try {
        const isolate = load(options.project, cpuOf(options));
        const outcome = await Promise.race([
          isolate.run(job, options.callFiles, () => whenCancelled(ending)),
          ended,
        ]);
        if (outcome !== "ended") return outcome;
        generation = crypto.randomUUID();
        return ending.outcome({ waited: false });
      } catch (cause) {
        generation = crypto.randomUUID();
        return explain(cause);
      } finally {
        ending.release();
      }
    },
  };
}

function cpuOf({ timeoutMs = LINE_CPU_MS }: RunOptions): number {
  return Math.min(Math.max(Math.trunc(timeoutMs), 1), MAX_CPU_MS);
}

function whenCancelled(ending: Ending): Promise<void> {
  return new Promise((resolve) => {
    ending.onRequest(() => ending.why === "cancelled" && resolve());
  });
}

/** The platform names the exceeded limit only in the message. Source: Cloudflare's Workers errors, 1102 and 1101. */
function explain(cause: unknown): WithBytes<{ kind: "ended"; why: "timeout" | "memory"; waited: false }> {
  const { message } = z.object({ message: z.string() }).catch({ message: "" }).parse(cause);
  const limit = /cpu/iu.test(message) ? "timeout" : /memory/iu.test(message) ? "memory" : undefined;
  if (limit) return { value: { kind: "ended", why: limit, waited: false } };
  const lost = "The command was interrupted: its isolate was lost, and what it did is unknown";
  throw new AppError("unavailable", lost, { cause });
}
