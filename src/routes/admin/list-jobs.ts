import { z } from "zod";
import { pageOfGivenUp } from "#src/domain/administration/jobs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";
import { PageFields } from "./user.ts";

/** The longest name of a kind, and the longest key. */
export const MAX_NAME = 255;

export const listJobs = endpoint({
  operationId: "listFailedJobs",
  method: "get",
  path: "/api/admin/jobs",
  summary: "List failed jobs",
  description:
    "Work that the service gave up after all its attempts, newest first. It stays until it is tried again or dropped.",
  tag: "Administration",
  access: { user: "superuser" },
  query: z.object({
    kind: text({ max: MAX_NAME }).optional().describe("Such as `deliver-callback`"),
    ...PageFields,
  }),
  response: {
    status: 200,
    schema: z.object({
      jobs: z.array(
        z.object({
          kind: z.string().describe("What is to be done, such as `deliver-callback`"),
          key: z.string().describe("What it is about, such as the id of a task; unique within the kind"),
          payload: z.record(z.string(), z.unknown()),
          attempts: z.int(),
          error: z.string().nullable().describe("Why the last attempt failed"),
          created_at: Moment,
          failed_at: Moment.nullable(),
        }),
      ),
      total: z.int(),
      page: z.int(),
      pages: z.int(),
    }),
  },
  async handler({ services, query: { kind, page, page_size: limit } }) {
    const { jobs, total } = await pageOfGivenUp(services.db, kind, { limit, offset: (page - 1) * limit });
    return {
      jobs: jobs.map((job) => ({
        kind: job.kind,
        key: job.key,
        payload: job.payload,
        attempts: job.attempts,
        error: job.lastError,
        created_at: job.createdAt.toISOString(),
        failed_at: job.failedAt?.toISOString() ?? null,
      })),
      total,
      page,
      pages: Math.ceil(total / limit),
    };
  },
});
