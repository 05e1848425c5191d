import { z } from "zod";
import { describeUser, updateAccount } from "#src/domain/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { email, text } from "#src/http/schemas.ts";
import { User } from "./user.ts";

const Body = z.object({
  email: email().optional(),
  username: text({ max: 100 }).optional(),
  name: text({ min: 1, max: 100, trim: true }).optional(),
  password: text({ max: 1000 }).optional(),
});

export const updateMe = endpoint({
  method: "patch",
  path: "/api/users/me",
  aliases: ["/users/me"],
  summary: "Change one's own account; a new password ends all sessions",
  tag: "Accounts",
  access: { user: "any" },
  body: Body,
  refusals: [409],
  response: { status: 200, schema: User },
  handler: async ({ services, caller, body }) =>
    describeUser(await updateAccount(services, caller.userId, body)),
});
