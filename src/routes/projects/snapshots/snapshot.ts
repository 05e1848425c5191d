import { z } from "zod";
import { Moment } from "#src/http/schemas.ts";
import { ProjectParams } from "../project.ts";

/** Name of a snapshot: SHA-256 of its manifest. */
export const SnapshotHash = z.string().regex(/^[0-9a-f]{64}$/u, "must be the hash of a snapshot");

export const SnapshotParams = ProjectParams.extend({ hash: SnapshotHash });

export const Snapshot = z
  .object({
    hash: z.string(),
    role: z
      .enum(["checkpoint", "agent", "restore", "hibernation", "automatic"])
      .describe(
        "Created by a person, before a run of the agent, before a restore or a clone, on hibernation, or after a use of " +
          "the project, against the loss of its container",
      ),
    label: z.string(),
    ts: Moment,
    file_count: z.int(),
    total_bytes: z.int(),
    task_id: z.uuid().nullable().describe("The task it was created for"),
  })
  .meta({ id: "Snapshot" });

/** A project's volume has the project's id. */
export const VolumeId = z.uuid().describe("Id of the project");
