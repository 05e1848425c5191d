import { z } from "zod";
import { text } from "#src/http/schemas.ts";

export const AUTHENTICATOR_PATH = "/api/users/me/authenticator";

export const CodeBody = z.object({
  code: text({ min: 1, max: 100, trim: true }).describe("A code of the app, or a recovery code"),
});

export const RecoveryCodes = z
  .object({
    recovery_codes: z
      .array(z.string())
      .describe("Each signs in once in place of a code. They are shown this once"),
  })
  .meta({ id: "RecoveryCodes" });
