import { z } from "zod";
import { listRuns } from "#src/domain/workspaces/command-runs/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";

const Run = z.object({
  command_id: z.uuid(),
  user_id: z.uuid(),
  command: z.string(),
  working_dir: z.string(),
  risk_level: z.string(),
  dry_run: z.boolean(),
  success: z.boolean(),
  exit_code: z.number().int().nullable(),
  duration_ms: z.number().int(),
  created_at: Moment,
});

export const listCommands = endpoint({
  operationId: "listCommands",
  method: "get",
  path: "/api/agent/history/:project",
  summary: "List executed commands",
  description: "Commands that this API ran in a project, newest first. Kept for 30 days.",
  tag: "Commands",
  access: { userOrKey: "terminal.access" },
  params: z.object({ project: z.string().describe("Id or slug of the project") }),
  query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
  refusals: [404],
  response: { status: 200, schema: z.object({ commands: z.array(Run) }) },
  async handler({ services, caller, params, query }) {
    const runs = await listRuns(services, caller, params.project, query.limit);
    return {
      commands: runs.map((run) => ({
        command_id: run.id,
        user_id: run.userId,
        command: run.command,
        working_dir: run.workingDir,
        risk_level: run.riskLevel,
        dry_run: run.dryRun,
        success: run.success,
        exit_code: run.exitCode,
        duration_ms: run.durationMs,
        created_at: run.createdAt.toISOString(),
      })),
    };
  },
});
