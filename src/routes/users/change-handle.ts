import { z } from "zod";
import * as accounts from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { User } from "./user.ts";

export const changeHandle = endpoint({
  operationId: "updateHandle",
  method: "patch",
  path: "/api/users/me/handle",
  aliases: ["/users/me/handle"],
  summary: "Change the caller's handle",
  description: "The handle is the username.",
  tag: "Accounts",
  access: { user: "any" },
  example: { handle: "ada" },
  body: z.object({ handle: text({ max: 1000 }).describe("3 to 32 characters") }),
  refusals: [409],
  response: { status: 200, schema: User },
  handler: async ({ services, caller, body }) =>
    accounts.describeUser(await accounts.changeHandle(services, caller.userId, body.handle)),
});
