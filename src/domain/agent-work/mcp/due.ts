import { z } from "zod";
import { declareJob } from "#src/work/job.ts";

/** A task found that a server needs authorization, and its owners may be told by mail. Its key is the server's id. */
export const ownersDue = declareJob({ name: "mail-mcp-server", payload: z.object({ serverId: z.uuid() }) });
