import { z } from "zod";
import { text } from "#src/http/schemas.ts";

export const Preferences = z
  .object({
    diagram_model: z.string().nullable(),
    theme_preset: z.string(),
    chat_position: z.enum(["left", "center", "right"]),
  })
  .meta({ id: "Preferences" });

const goesBack = "null restores the default";

/** Unknown themes and positions are refused by the domain with a 400, which existing clients expect. */
export const PreferencesBody = z.object({
  diagram_model: text({ max: 200 }).nullish(),
  theme_preset: text({ max: 1000 }).nullish().describe(`Name of a theme; ${goesBack}, default-dark`),
  chat_position: text({ max: 1000 }).nullish().describe(`left, center or right; ${goesBack}, center`),
});
