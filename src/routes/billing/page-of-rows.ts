import { z } from "zod";

/** A part of a list, newest first. */
export const PageOfRows = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
});
