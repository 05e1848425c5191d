import { z } from "zod";
import { dayOrMoment } from "#src/http/schemas.ts";

/** A period of time. */
export const Span = z.object({
  start_date: dayOrMoment().optional().describe("The first moment; a day is its midnight, UTC"),
  end_date: dayOrMoment().optional().describe("The last moment; a day is its midnight, UTC"),
});

export const inDollars = (cents: number): number => cents / 100;
