import { text } from "#src/http/schemas.ts";

/** A user code as people enter it: in any case, with or without the dash. */
export const UserCode = text({ min: 1, max: 50 }).describe("The code that the program shows, `BCDF-GHJK`");
