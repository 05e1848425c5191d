import { describeUser, updateAccount } from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { AccountBody, User } from "./user.ts";

const Body = AccountBody.extend({ diagram_model: text({ max: 200 }).nullish() });

export const updateMe = endpoint({
  operationId: "updateMe",
  method: "patch",
  path: "/api/users/me",
  aliases: ["/users/me"],
  summary: "Update the caller's account",
  description:
    "A new password or email address needs `current_password`, unless the session began in the last ten minutes.",
  tag: "Accounts",
  access: { user: "any" },
  example: { name: "Ada Lovelace" },
  body: Body,
  refusals: [403, 409, 429],
  response: { status: 200, schema: User },
  async handler({ services, caller, client, body }) {
    const { diagram_model: diagramModel, current_password: currentPassword, ...change } = body;
    const wish = { ...change, diagramModel, currentPassword };
    return describeUser(await updateAccount(services, caller, wish, client));
  },
});
