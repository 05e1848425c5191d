import { z } from "zod";
import * as shells from "#src/domain/workspaces/shells/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const openSession = endpoint({
  operationId: "openShell",
  method: "post",
  path: "/api/shell/sessions",
  summary: "Open a shell session",
  description: "The project must be running.",
  tag: "Shells",
  access: { userOrKey: "terminal.access" },
  example: { project_id: "3f0c6c1e-8a53-4b52-9a57-1f2d7c9e4b10" },
  body: z.object({
    project_id: text({ min: 1, max: 100 }).describe("Id or slug of the project"),
    command: text({ min: 1, max: 1_000 }).default("/bin/bash"),
    container_name: text({ min: 1, max: 200 }).nullish().describe("Starts in this container's directory"),
    cols: z.number().int().min(1).max(1_000).default(80),
    rows: z.number().int().min(1).max(1_000).default(24),
  }),
  refusals: [400, 404, 409, 503],
  response: {
    status: 200,
    schema: z.object({ session_id: z.uuid(), status: z.string(), created_at: Moment }),
  },
  async handler({ services, caller, body }) {
    const { id, status, createdAt } = await shells.openSession(services, caller, {
      project: body.project_id,
      command: body.command,
      container: body.container_name ?? undefined,
      columns: body.cols,
      rows: body.rows,
    });
    return { session_id: id, status, created_at: createdAt.toISOString() };
  },
});
