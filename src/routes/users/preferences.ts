import { z } from "zod";
import { TASK_NOTICES } from "#src/db/schema/accounts.ts";
import { text } from "#src/http/schemas.ts";

const TaskNotices = z.enum(TASK_NOTICES);

export const Preferences = z
  .object({
    diagram_model: z.string().nullable(),
    theme_preset: z.string(),
    chat_position: z.enum(["left", "center", "right"]),
    task_mail: z
      .boolean()
      .describe(
        "Whether a mail tells that a task which ran for more than a minute ended or asks. Sent only to a confirmed address",
      ),
    task_notices: TaskNotices.describe(
      "Whether the console's browser tells the same; `ask` until it has asked",
    ),
  })
  .meta({ id: "Preferences" });

const goesBack = "null restores the default";

/** Unknown themes and positions are refused by the domain with a 400, which existing clients expect. */
export const PreferencesBody = z.object({
  diagram_model: text({ max: 200 }).nullish(),
  theme_preset: text({ max: 1000 }).nullish().describe(`Name of a theme; ${goesBack}, default-dark`),
  task_mail: z.boolean().optional(),
  task_notices: TaskNotices.optional(),
  chat_position: text({ max: 1000 }).nullish().describe(`left, center or right; ${goesBack}, center`),
});
