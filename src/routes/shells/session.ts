import { z } from "zod";
import type { ShellSession } from "#src/domain/workspaces/shells/index.ts";
import { Moment } from "#src/http/schemas.ts";

export const SessionParams = z.object({ shell: z.string().describe("Id of the session") });

/** A shell session as lists show it. */
export const Session = z
  .object({
    session_id: z.uuid(),
    project_id: z.uuid(),
    command: z.string(),
    working_dir: z.string(),
    status: z.enum(["initializing", "active", "idle", "closed", "failed"]),
    exit_code: z
      .number()
      .int()
      .nullable()
      .describe("Exit code of the program, once it has ended and its output was read"),
    created_at: Moment,
    last_activity_at: Moment,
    bytes_read: z.number().int(),
    bytes_written: z.number().int(),
    total_reads: z.number().int(),
  })
  .meta({ id: "ShellSession" });

export function describeSession(session: ShellSession): z.input<typeof Session> {
  return {
    session_id: session.id,
    project_id: session.projectId,
    command: session.command,
    working_dir: session.workingDir,
    status: session.status,
    exit_code: session.exitCode,
    created_at: session.createdAt.toISOString(),
    last_activity_at: session.lastActivityAt.toISOString(),
    bytes_read: session.readPosition,
    bytes_written: session.bytesWritten,
    total_reads: session.totalReads,
  };
}
