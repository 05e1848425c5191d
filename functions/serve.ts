import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import type { AppEnv } from "#src/http/context.ts";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import type { Services } from "#src/services.ts";
import { executeJob, type Later } from "#src/work/execute.ts";
import type { Job } from "#src/work/job.ts";
import type { QueueFunction } from "#src/work/message.ts";

const JobMessage = z.object({ key: z.string().min(1).max(255) });

/** Work that the queue delivers at least once: `run` must be idempotent. */
export interface PlatformFunction {
  readonly name: string;
  run(services: Services, body: string): Promise<Later | void>;
}

/** What a message to a declared function has done. */
export function serveFunction<M>(
  { name, message }: QueueFunction<M, unknown>,
  run: (services: Services, message: M) => Promise<Later | void>,
): PlatformFunction {
  return { name, run: (services, body) => run(services, parseJson(body, message)) };
}

/** The function of a kind of job: a message names the job, whose row says the rest. */
export function serveJob<P, R>(job: Job<P, Services, R>): PlatformFunction {
  const named = { name: job.name, message: JobMessage };
  return serveFunction(named, (services, { key }) => executeJob(services, job, key));
}

/** Small, because payloads contain only names and numbers: at most those of 100 sessions, whose ids have 255 characters. */
const limitBody = bodyLimit({
  maxSize: 512 * 1024,
  onError: () => {
    throw new AppError("too_large", "The payload is too large");
  },
});

/** Verifies, parses and runs; then retries or dead-letters. Requests without the queue's signature are refused. */
export function serve(functions: readonly PlatformFunction[]): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  for (const each of functions) {
    app.post(`/${each.name}`, limitBody, async (c) => {
      const services = c.get("services");
      const signature = c.req.header("upstash-signature");
      // Refused before the body is read.
      if (!signature) throw new AppError("unauthenticated", "Invalid queue signature");
      const body = await c.req.text();
      const genuine = await services.verifyDelivery({
        body,
        signature,
        url: `${withoutSlash(services.config.PUBLIC_URL)}/functions/${each.name}`,
      });
      if (!genuine) throw new AppError("unauthenticated", "Invalid queue signature");
      try {
        const later = await each.run(services, body);
        if (!later) return c.body(null, 200);
        // QStash waits for Retry-After instead of its own backoff. Its documentation does not say whether this consumes
        // a retry, so nothing relies on the redelivery: the watchdog of a task publishes its step again.
        return c.json({ detail: "Not yet" }, 429, { "Retry-After": String(later.retryAfterSeconds) });
      } catch (error) {
        // Only failures that are known to be permanent are dead-lettered; all others are retried.
        if (!(error instanceof AppError) || error.retryable) throw error;
        services.log.error("function gave up", { function: each.name, code: error.code, cause: error });
        return Response.json(
          { detail: error.message },
          { status: 489, headers: { "Upstash-NonRetryable-Error": "true" } },
        );
      }
    });
  }
  return app;
}
