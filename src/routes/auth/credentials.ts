import { z } from "zod";
import { text } from "#src/http/schemas.ts";

const identifier = text({ min: 1, max: 320, trim: true });

/** A person's username or email address, in either of the two fields, and the password. */
export const Credentials = z
  .object({
    username: identifier.optional().describe("Username or email address"),
    email: identifier.optional().describe("Username or email address"),
    password: text({ min: 1, max: 1000 }),
  })
  .transform(({ username, email, password }, context) => {
    const given = username ?? email;
    if (given !== undefined) return { identifier: given, password };
    context.addIssue({ code: "custom", path: ["username"], message: "username or email is required" });
    return z.NEVER;
  })
  .meta({ id: "Credentials" });
