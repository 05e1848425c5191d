import { z } from "zod";

export const TaskParams = z.object({ task: z.string().describe("The task's id") });
