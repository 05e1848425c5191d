import { z } from "zod";
import { retryJobs } from "#src/domain/administration/jobs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Succeeded, text } from "#src/http/schemas.ts";
import { MAX_NAME } from "./list-jobs.ts";

const Kind = { job_kind: text({ max: MAX_NAME }).describe("Such as `deliver-callback`") };

/** Which failed job. */
export const JobParams = z.object({
  ...Kind,
  job: text({ max: MAX_NAME }).describe("The job's key"),
});

export const retryJob = endpoint({
  operationId: "retryFailedJob",
  method: "post",
  path: "/api/admin/jobs/:job_kind/:job/retry",
  summary: "Retry a failed job",
  description: "Its attempts are counted anew.",
  tag: "Administration",
  access: { user: "superuser" },
  params: JobParams,
  refusals: [404],
  response: { status: 200, schema: Succeeded },
  async handler({ services, caller, params: { job_kind: kind, job: key }, client: { address } }) {
    await retryJobs(services, { adminId: caller.userId, address }, { kind, key });
    return { success: true as const, message: "The job will be tried again" };
  },
});

export const retryJobsOfKind = endpoint({
  operationId: "retryFailedJobs",
  method: "post",
  path: "/api/admin/jobs/:job_kind/retry",
  summary: "Retry failed jobs",
  description: "Those of a kind, at most 1000: those that failed first come first.",
  tag: "Administration",
  access: { user: "superuser" },
  params: z.object(Kind),
  refusals: [404],
  response: { status: 200, schema: Succeeded.extend({ retried: z.int() }) },
  async handler({ services, caller, params: { job_kind: kind }, client: { address } }) {
    const retried = await retryJobs(services, { adminId: caller.userId, address }, { kind });
    const message = retried === 1 ? "One job will be tried again" : `${retried} jobs will be tried again`;
    return { success: true as const, retried, message };
  },
});
