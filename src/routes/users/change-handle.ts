import { z } from "zod";
import { changeHandle as change, describeUser } from "#src/domain/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { User } from "./user.ts";

export const changeHandle = endpoint({
  method: "patch",
  path: "/api/users/me/handle",
  aliases: ["/users/me/handle"],
  summary: "Take another handle, which is the username",
  tag: "Accounts",
  access: { user: "any" },
  body: z.object({ handle: text({ max: 1000 }).describe("3 to 32 characters") }),
  refusals: [409],
  response: { status: 200, schema: User },
  handler: async ({ services, caller, body }) =>
    describeUser(await change(services, caller.userId, body.handle)),
});
