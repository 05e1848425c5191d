import type { ConfigurationProblem } from "#src/configuration/index.ts";
import { createLog } from "#src/platform/log/log.ts";

/**
 * A Worker has no startup that could fail, so an invalid configuration responds with 503 everywhere while the log names
 * the variables.
 */
export function notConfigured(problems: readonly ConfigurationProblem[]): Response {
  createLog().error("configuration is not valid", { problems });
  return Response.json(
    { detail: "The service is not configured; its log names what is missing" },
    { status: 503 },
  );
}
