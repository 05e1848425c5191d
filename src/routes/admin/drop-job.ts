import { dropJob as drop } from "#src/domain/administration/jobs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Succeeded } from "#src/http/schemas.ts";
import { JobParams } from "./retry-job.ts";

export const dropJob = endpoint({
  operationId: "dropFailedJob",
  method: "delete",
  path: "/api/admin/jobs/:job_kind/:job",
  summary: "Drop a failed job",
  description: "What it was to do is not done, and it is not listed any more.",
  tag: "Administration",
  access: { user: "superuser" },
  params: JobParams,
  refusals: [404],
  response: { status: 200, schema: Succeeded },
  async handler({ services, caller, params: { job_kind: kind, job: key }, client: { address } }) {
    await drop(services, { adminId: caller.userId, address }, { kind, key });
    return { success: true as const, message: "The job is dropped" };
  },
});
